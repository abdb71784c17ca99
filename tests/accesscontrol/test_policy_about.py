"""What a policy says about one connector can be cut out of it, and decides there as the whole does."""

from hypothesis import given
from hypothesis import strategies as st

from accesscontrol.policy import UNRESTRICTED, Mode, Names, Policy, Rule, ToolRef, compile_layer

SLUGS = st.sampled_from(["notion", "fork", "xero"])
TOOLS = st.sampled_from(["list", "create", "delete"])
NAMES = st.builds(
    Names,
    connectors=st.frozensets(SLUGS, max_size=1),
    tools=st.frozensets(st.tuples(SLUGS, TOOLS), max_size=3),
)
LAYERS = st.lists(st.builds(Rule, mode=st.sampled_from(Mode), names=NAMES), max_size=3).map(compile_layer)
POLICIES = st.builds(Policy, role=LAYERS, user=LAYERS, exemptions=NAMES)
REFS = st.builds(
    ToolRef,
    connector=SLUGS,
    lineage=st.sampled_from([(), ("notion",), ("fork", "notion")]),
    tool=st.none() | TOOLS,
    other_names=st.lists(TOOLS, max_size=2).map(tuple),
)


@given(POLICIES, REFS)
def test_what_is_cut_out_decides_as_the_whole(policy: Policy, ref: ToolRef) -> None:
    assert policy.about(ref.connector, ref.lineage).decide(ref) == policy.decide(ref)


@given(POLICIES, REFS, NAMES)
def test_rules_about_other_connectors_make_no_difference(policy: Policy, ref: ToolRef, names: Names) -> None:
    mine = {ref.connector, *ref.lineage}
    others = Names(names.connectors - mine, frozenset(pair for pair in names.tools if pair[0] not in mine))
    role = compile_layer([Rule(Mode.BLOCK, policy.role.blocks | others)])
    before = Policy(role=compile_layer([Rule(Mode.BLOCK, policy.role.blocks)]), user=policy.user)
    after = Policy(role=role, user=policy.user, exemptions=Names())
    assert before.about(ref.connector, ref.lineage) == after.about(ref.connector, ref.lineage)


def test_where_no_rule_touches_a_connector_all_policies_are_one() -> None:
    policy = Policy(role=compile_layer([Rule(Mode.BLOCK, Names(frozenset({"xero"})))]), user=compile_layer(()))
    assert policy.about("notion", ()) is UNRESTRICTED
    assert policy.about("fork", ("xero",)) is not UNRESTRICTED
