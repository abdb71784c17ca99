"""Which IP addresses are public, by the IANA registries."""

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

# The IANA IPv4 Special-Purpose Address Registry, with multicast and what other registries reserve. Listed
# here because `is_global` differs between Python versions and leaves multicast in.
_NOT_PUBLIC_4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private use
            "100.64.0.0/10",  # shared address space (CGNAT)
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # the host's own services in Azure
            "169.254.0.0/16",  # link-local, with the clouds' metadata services
            "172.16.0.0/12",  # private use
            "192.0.0.0/24",  # IETF protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # AMT
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private use
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarking
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, with the limited broadcast address
        ),
    )
)
# IPv6 hands out global unicast addresses from this block alone (IANA IPv6 Address Space). So the unspecified
# address, loopback, ULA, link-local, site-local, multicast and the IPv4-compatible ones are out already.
_GLOBAL_UNICAST_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # IETF protocol assignments: Teredo, benchmarking, ORCHID
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which hides an IPv4 address
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
# The well-known NAT64 prefix (RFC 6052): how a network without IPv4 reaches the public IPv4 internet. The
# local-use one, 64:ff9b:1::/48, stays out.
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: str) -> bool:
    """Whether the address (text, with or without an IPv6 zone) can be reached by anyone on the internet.

    An address that embeds an IPv4 one (mapped, NAT64) is judged by that one.
    """
    try:
        ip = ip_address(address.partition("%")[0])
    except ValueError:
        return False
    return _is_public_4(ip) if isinstance(ip, IPv4Address) else _is_public_6(ip)


def _is_public_4(ip: IPv4Address) -> bool:
    return not any(ip in network for network in _NOT_PUBLIC_4)


def _is_public_6(ip: IPv6Address) -> bool:
    embedded = ip.ipv4_mapped or (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else None)
    if embedded:
        return _is_public_4(embedded)
    return ip in _GLOBAL_UNICAST_6 and not any(ip in network for network in _NOT_PUBLIC_6)
