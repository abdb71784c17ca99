"""The rule of precedence, as a table and against an oracle that spells it out tool by tool."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from accesscontrol.policy import (
    ALLOWED,
    Decision,
    Layer,
    Mode,
    Names,
    Policy,
    Rule,
    Scope,
    ToolRef,
    compile_layer,
)

X_Y, X_Z, X, W = (
    ToolRef("x", (), "y"),
    ToolRef("x", (), "z"),
    ToolRef("x"),
    ToolRef("w", (), "v"),
)


def allow(*names: str) -> Rule:
    return Rule(Mode.ALLOW, _names(names))


def block(*names: str) -> Rule:
    return Rule(Mode.BLOCK, _names(names))


def _names(names: tuple[str, ...]) -> Names:
    return Names(
        frozenset(name for name in names if "." not in name),
        frozenset((name.split(".")[0], name.split(".")[1]) for name in names if "." in name),
    )


def reaches(*rules: Rule) -> dict[str, bool]:
    layer = compile_layer(rules)
    asked = {"X.Y": X_Y, "X.Z": X_Z, "X": X, "W.V": W}
    return {name: layer.denial(ref) is None for name, ref in asked.items()}


@pytest.mark.parametrize(
    ("rules", "reached"),
    [
        ((), {"X.Y", "X.Z", "X", "W.V"}),
        ((allow(),), set()),
        ((allow("x.y"),), {"X.Y", "X"}),
        ((allow("x"),), {"X.Y", "X.Z", "X"}),
        ((allow("x", "x.y"),), {"X.Y", "X.Z", "X"}),
        ((block(),), {"X.Y", "X.Z", "X", "W.V"}),
        ((block("x.y"),), {"X.Z", "X", "W.V"}),
        ((block("x", "x.y"),), {"W.V"}),
        ((block("x"),), {"W.V"}),
        ((allow("x"), block("x.y")), {"X.Z", "X"}),
        ((allow("x.y"), block("x")), set()),
        ((allow(), allow("w.v")), {"W.V"}),
        ((allow("x.y"), allow("x.z")), {"X.Y", "X.Z", "X"}),
        ((block("x.y"), block("x.z")), {"X", "W.V"}),
    ],
)
def test_one_layer_follows_the_table(rules: tuple[Rule, ...], reached: set[str]) -> None:
    assert {name for name, admitted in reaches(*rules).items() if admitted} == reached


LAYERS = [(), (allow(),), (allow("x.y"),), (allow("x"),), (block("x.y"),), (block("x"),)]


@pytest.mark.parametrize(("role", "user"), list(product(LAYERS, LAYERS)))
def test_a_tool_is_reached_only_if_both_layers_admit_it(role: tuple[Rule, ...], user: tuple[Rule, ...]) -> None:
    policy = Policy(compile_layer(role), compile_layer(user))
    for ref in (X_Y, X_Z, X, W):
        both = compile_layer(role).denial(ref) is None and compile_layer(user).denial(ref) is None
        assert policy.decide(ref).allowed == both


def test_a_denial_says_whose_rules_and_what_they_deny() -> None:
    role, user = compile_layer([block("x.y")]), compile_layer([block("w")])
    policy = Policy(role, user)
    assert policy.decide(X_Y) == Decision(False, Layer.ROLE, Scope.TOOL)
    assert policy.decide(W) == Decision(False, Layer.USER, Scope.CONNECTOR)
    assert policy.decide(X_Z) == ALLOWED


def test_a_block_is_inherited_by_a_fork_of_a_fork_and_an_allow_is_not() -> None:
    fork = ToolRef("x3", ("x2", "x"), "y")
    assert compile_layer([block("x.y")]).denial(fork) is Scope.TOOL
    assert compile_layer([block("x")]).denial(fork) is Scope.CONNECTOR
    assert compile_layer([allow("x")]).denial(fork) is Scope.CONNECTOR
    assert compile_layer([allow("x3")]).denial(fork) is None


def test_a_renamed_tool_stays_blocked_by_every_name_it_had_and_is_allowed_by_its_present_one_alone() -> None:
    renamed = ToolRef("x2", ("x",), "neat", ("y", "z"))
    for name in ("x2.neat", "x2.y", "x.y", "x.z"):
        assert compile_layer([block(name)]).denial(renamed) is Scope.TOOL
    assert compile_layer([block("w.y")]).denial(renamed) is None
    assert compile_layer([allow("x2.y")]).denial(renamed) is Scope.TOOL
    assert compile_layer([allow("x2.neat")]).denial(renamed) is None


def test_a_fork_s_own_block_leaves_what_it_was_forked_from_alone() -> None:
    assert compile_layer([block("x2.y")]).denial(X_Y) is None


def test_an_exemption_lifts_the_role_s_denial_for_what_it_names_and_nothing_else() -> None:
    exempt = Names(tools=frozenset({("x", "y")}))
    role = Policy(compile_layer([block("x")]), compile_layer(()), exempt)
    assert role.decide(X_Y).allowed
    assert role.decide(X).allowed
    assert not role.decide(X_Z).allowed
    user = Policy(compile_layer(()), compile_layer([block("x")]), exempt)
    assert not user.decide(X_Y).allowed


SLUGS = st.sampled_from(["x", "w", "f"])
TOOLS = st.sampled_from(["y", "z"])
NAMES = st.builds(Names, st.frozensets(SLUGS, max_size=2), st.frozensets(st.tuples(SLUGS, TOOLS), max_size=2))
RULES = st.lists(st.builds(Rule, st.sampled_from(Mode), NAMES), max_size=4)
LINEAGE = {"f": ("x",), "x": (), "w": ()}


def oracle(rules: list[Rule], connector: str, tool: str, other_names: tuple[str, ...] = ()) -> bool:
    """Rule by rule, for one tool, with nothing compiled."""
    family = (connector, *LINEAGE[connector])
    for rule in rules:
        if rule.mode is Mode.BLOCK:
            for slug in family:
                if slug in rule.names.connectors or any((slug, it) in rule.names.tools for it in (tool, *other_names)):
                    return False
    allows = [rule for rule in rules if rule.mode is Mode.ALLOW]
    return not allows or any(
        connector in rule.names.connectors or (connector, tool) in rule.names.tools for rule in allows
    )


OTHER_NAMES = st.lists(TOOLS, max_size=2).map(tuple)


@given(role=RULES, user=RULES, exemptions=NAMES, connector=SLUGS, tool=TOOLS, others=OTHER_NAMES)
def test_the_compiled_policy_agrees_with_the_oracle(
    role: list[Rule], user: list[Rule], exemptions: Names, connector: str, tool: str, others: tuple[str, ...]
) -> None:
    policy = Policy(compile_layer(role), compile_layer(user), exemptions)
    exempt = connector in exemptions.connectors or (connector, tool) in exemptions.tools
    expected = oracle(user, connector, tool, others) and (oracle(role, connector, tool, others) or exempt)
    assert policy.decide(ToolRef(connector, LINEAGE[connector], tool, others)).allowed == expected


@given(rules=RULES, names=st.lists(st.sampled_from(["y", "z", "v", "u"]), min_size=1, max_size=4, unique=True))
def test_renaming_a_tool_again_and_again_never_lifts_a_block(rules: list[Rule], names: list[str]) -> None:
    layer = compile_layer([rule for rule in rules if rule.mode is Mode.BLOCK])
    denied = False
    for number, name in enumerate(names):
        now = layer.denial(ToolRef("f", ("x",), name, tuple(names[:number]))) is not None
        assert now or not denied
        denied = now
