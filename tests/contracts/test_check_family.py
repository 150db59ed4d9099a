"""The shipped contract of families: every family keeps it, and broken ones are caught."""

import numpy as np
import pytest
from scipy import sparse

import neurprise as nr
from neurprise.io import npz
from neurprise.networks.view import LearnedView
from neurprise.problem.contract import EVERY
from neurprise.problem.stages import RecourseRows
from neurprise.problems import Family, family_names, get_family
from neurprise.testing import check_family
from tests.own_family import STOCK, OnePrice, Shortage, Stock


@pytest.mark.parametrize("name", family_names())
def test_shipped_families_keep_the_contract(name):
    """All of what they know agrees with an engine."""
    check_family(get_family(name))


def test_a_family_of_ones_own_keeps_the_contract_unregistered():
    """And is not known afterwards."""
    check_family(STOCK)
    assert "stock" not in family_names()


def changed(base, make=None, **attributes):
    """A shipped family, or the stock of `tests.own_family`, with attributes of its class replaced."""
    family = STOCK if issubclass(base, Stock) else get_family(base.family)
    mutant = type("Mutant", (base,), {"family": "mutant", **attributes})

    def rebuilt(num_goods, num_scenarios, seed):
        drawn = family.draw([num_goods], num_scenarios, seed)
        return mutant(**family.arguments(drawn))

    return Family("mutant", mutant, make or rebuilt)


def refused(family, words):
    with pytest.raises(AssertionError, match=words):
        check_family(family)


def test_changed_changes_nothing_by_itself():
    """Otherwise every test below would pass for the wrong reason."""
    for base in (Stock, nr.Selection, nr.FacilityLocation):
        check_family(changed(base))


def oracle(kind, base=Stock):
    """The property `oracle` of a class, with an oracle of another kind."""
    return property(lambda self: kind(base.oracle.fget(self)))


class Wrapped:
    """An oracle that passes on what another one says."""

    def __init__(self, inner):
        self.inner = inner

    def recourse_costs(self, x, scenarios=EVERY):
        return self.inner.recourse_costs(x, scenarios)

    def recourse_decision(self, x, scenario):
        return self.inner.recourse_decision(x, scenario)


class TooHigh(Wrapped):
    def recourse_costs(self, x, scenarios=EVERY):
        return super().recourse_costs(x, scenarios) + 0.01


class WholeAlways(Wrapped):
    def recourse_costs(self, x, scenarios=EVERY):
        return super().recourse_costs(x)


class Column(Wrapped):
    def recourse_costs(self, x, scenarios=EVERY):
        return super().recourse_costs(x, scenarios)[:, None]


class NeverFeasible(Wrapped):
    def recourse_costs(self, x, scenarios=EVERY):
        return np.full_like(super().recourse_costs(x, scenarios), np.inf)


class Nothing(Wrapped):
    def recourse_decision(self, x, scenario):
        return np.zeros_like(x)


class TooLong(Wrapped):
    def recourse_decision(self, x, scenario):
        return np.append(super().recourse_decision(x, scenario), 0.0)


@pytest.mark.parametrize(
    "kind, words",
    [
        (TooHigh, "recourse_costs must be .*the engine's, got"),
        (WholeAlways, r"must answer the part slice\(0, 1"),
        (Column, r"recourse_costs must have shape \(4,\), got \(4, 1\)"),
        (NeverFeasible, "inf exactly if no recourse is feasible"),
        (Nothing, "recourse_decision must be feasible and cost"),
        (TooLong, r"recourse_decision must have shape \(4,\), got \(5,\)"),
    ],
)
def test_oracles_that_are_wrong_are_caught(kind, words):
    """A wrong value, a part not asked for, a wrong shape, infeasible where it is not, infeasible decisions."""
    refused(changed(Stock, oracle=oracle(kind)), words)


class Optimist(Wrapped):
    def recourse_costs(self, x, scenarios=EVERY):
        return np.minimum(super().recourse_costs(x, scenarios), 1e6)


def test_infeasible_recourse_told_as_finite_is_caught():
    """Sites without capacity serve nobody."""
    inner = nr.FacilityLocation.oracle.func
    refused(
        changed(nr.FacilityLocation, oracle=property(lambda self: Optimist(inner(self)))),
        "inf exactly if no recourse is feasible",
    )


class Stale(Stock):
    """Keeps a table of its own, which restrict does not replace."""

    def __init__(self, costs, prices, demand, note="none"):
        self._table = np.array(prices, dtype=float)
        super().__init__(costs, prices, demand, note)

    @property
    def oracle(self):
        return Shortage(self._table, self.demand)


def test_an_oracle_of_other_scenarios_is_caught():
    """A restricted problem must speak of its own."""
    refused(changed(Stale), "the oracle of a restricted problem must answer for the scenarios that are left")


class TooCheap(OnePrice):
    def values(self):
        return super().values() - 1.0


class TakesNothing(OnePrice):
    def decisions(self, scenarios):
        return np.zeros((len(scenarios), len(self.demand)))


@pytest.mark.parametrize(
    "kind, words", [(TooCheap, "single_scenarios must value"), (TakesNothing, "must find a decision that attains V")]
)
def test_wrong_values_of_single_scenarios_are_caught(kind, words):
    """V({s}), and who attains it."""
    alone = property(lambda self: kind(self.costs, self.prices, self.demand))
    refused(changed(Stock, single_scenarios=alone), words)


class Listing:
    """A list that passes on what another one says."""

    def __init__(self, inner):
        self.inner = inner

    def below(self, scenario, cutoff):
        return self.inner.below(scenario, cutoff)

    def costs(self, scenario, numbers):
        return self.inner.costs(scenario, numbers)

    def decision(self, number):
        return self.inner.decision(number)


class WithoutTheBest(Listing):
    def below(self, scenario, cutoff):
        numbers, costs = super().below(scenario, cutoff)
        return numbers[costs > costs.min()], costs[costs > costs.min()]


class WithoutCutoff(Listing):
    def below(self, scenario, cutoff):
        return super().below(scenario, np.inf)


class Backwards(Listing):
    def decision(self, number):
        return super().decision(number)[::-1]


class OtherCosts(Listing):
    def costs(self, scenario, numbers):
        return super().costs(scenario, numbers) + 1.0


@pytest.mark.parametrize(
    "kind, words",
    [
        (WithoutTheBest, "the best of first_stage_list must attain"),
        (WithoutCutoff, "must keep to the cutoff"),
        (Backwards, "a listed decision costs"),
        (OtherCosts, "costs of a list must be those of below"),
    ],
)
def test_lists_that_are_wrong_are_caught(kind, words):
    """The best one missing, the cutoff ignored, decisions mixed up, two costs for one decision."""
    listed = property(lambda self: kind(nr.Selection.first_stage_list.fget(self)) if self.num_first_stage < 9 else None)
    refused(changed(nr.Selection, first_stage_list=listed), words)


class ClosesEverything:
    """No site may ever open."""

    def violated_rows(self, x, y, scenario):
        m = len(x) // 2
        opened = sparse.csr_array((-np.ones(m), (np.zeros(m, dtype=int), np.arange(m))), shape=(1, len(x)))
        return RecourseRows(opened, sparse.csr_array((1, len(y))), np.zeros(1))


class Harmless:
    """Rows that nobody breaks."""

    def violated_rows(self, x, y, scenario):
        return RecourseRows(sparse.csr_array((1, len(x))), sparse.csr_array((1, len(y))), np.zeros(1))


@pytest.mark.parametrize(
    "separator, words", [(ClosesEverything(), "cut off a solution"), (Harmless(), "must be broken by the point")]
)
def test_cuts_that_are_wrong_are_caught(separator, words):
    """Rows that solutions break, and rows that the relaxation does not."""
    refused(changed(nr.FacilityLocation, separator=separator), words)


@pytest.mark.parametrize(
    "told, words",
    [
        (lambda self: -self.prices, "monotone_costs must be >= 0"),
        (lambda self: 1 / self.prices, "must rise with monotone_costs"),
    ],
)
def test_costs_that_are_not_monotone_are_caught(told, words):
    """SOR's guarantee would be false."""
    refused(changed(Stock, monotone_costs=property(told)), words)


def test_whole_numbers_that_are_none_are_caught():
    """Bounds would be rounded past the truth."""

    def halves(num_goods, num_scenarios, seed):
        drawn = STOCK.draw([num_goods], num_scenarios, seed)
        return Halved(drawn.costs + 0.5, drawn.prices, drawn.demand)

    class Halved(Stock):
        family = "halved"
        integral_objective = True

    refused(Family("halved", Halved, halves), "integral_objective promises whole numbers, got fractions|V(R)")


def without_class(self, keep):
    return nr.TwoStageProblem(**Stock.restrict(self, keep).general_form())


def without_names(self, keep):
    return Stock.restrict(self, keep).with_labels(scenario_names=())


def in_ascending_order(self, keep):
    kept = Stock.restrict(self, sorted(keep))
    return kept.with_labels(scenario_names=[self.scenario_labels[s] for s in keep])


def without_note(self, keep):
    kept = Stock.restrict(self, keep)
    return type(self)(kept.costs, kept.prices, kept.demand, "lost").with_labels(scenario_names=kept.scenario_names)


@pytest.mark.parametrize(
    "restrict, words",
    [
        (without_class, "restrict must keep the class"),
        (without_names, "restrict must keep the scenarios' names"),
        (in_ascending_order, "in the order asked for"),
        (without_note, "restricting to all scenarios must change nothing"),
    ],
)
def test_restricting_that_loses_something_is_caught(restrict, words):
    """The class, names, the order, an attribute of the family's own."""
    refused(changed(Stock, restrict=restrict), words)


@pytest.mark.parametrize(
    "attributes, words",
    [
        ({"__setattr__": object.__setattr__}, "a problem must not change, but '.*' can be set"),
        (
            {"prices": property(lambda self: self.changes["costs"].values.copy())},
            r"read-only, but \['prices'\] are not",
        ),
        ({"scenario_data": property(lambda self: 2 * self.prices)}, "must keep rows|must give the same problem"),
        ({"costs": property(lambda self: self.first_stage.costs + 1)}, "arguments must make the problem again"),
        ({"__hash__": lambda self: id(self)}, "equal problems must have equal hashes"),
        ({"__getstate__": lambda self: {**Stock.__getstate__(self), "note": "lost"}}, "another process must equal"),
        ({"name_stems": lambda self: {part: [] for part in ("x", "y", "x_row", "y_row")}}, "must give 4 distinct"),
    ],
)
def test_problems_that_are_no_values_are_caught(attributes, words):
    """Changed, or not known by their arguments, or half copied."""
    refused(changed(Stock, **attributes), words)


def test_arguments_that_are_no_attributes_are_caught():
    """Files could not store them."""

    class Hides(Stock):
        family = "hides"

        def __init__(self, costs, prices, demand, secret=3):
            super().__init__(costs, prices, demand)

    def make(num_goods, num_scenarios, seed):
        drawn = STOCK.draw([num_goods], num_scenarios, seed)
        return Hides(drawn.costs, drawn.prices, drawn.demand)

    refused(Family("hides", Hides, make), r"must be an attribute of that name, but \['secret'\] are not")


@pytest.mark.parametrize(
    "note, words",
    [
        ({1: 2}, "files must hold its problems, but: the arguments of 'noted' must be arrays, numbers, texts or lists"),
        (np.array(["a"]), "must be arrays, numbers, texts or lists"),
        (np.zeros((1, 1, 1)), "files must hold its problems, but: .* at most 2 dimensions"),
    ],
)
def test_arguments_that_files_cannot_hold_are_caught(note, words):
    """Mappings, texts in arrays, arrays of three dimensions."""

    def make(num_goods, num_scenarios, seed):
        drawn = STOCK.draw([num_goods], num_scenarios, seed)
        return Noted(drawn.costs, drawn.prices, drawn.demand, note)

    class Noted(Stock):
        family = "noted"

    refused(Family("noted", Noted, make), words)


def test_data_that_files_lose_are_caught(monkeypatch):
    """A format that rounds."""
    read = npz.read
    monkeypatch.setattr(npz, "read", lambda path: read(path).with_scenarios(read(path).scenario_data + 1e-9))
    refused(STOCK, "writing and reading loses data")


def without_seed(num_goods, num_scenarios, seed):
    return STOCK.draw([num_goods], num_scenarios, 0)


def with_chance(num_goods, num_scenarios, seed):
    return STOCK.draw([num_goods], num_scenarios, int(np.random.default_rng().integers(10**9)))


def with_one_more(num_goods, num_scenarios, seed):
    return STOCK.draw([num_goods], num_scenarios + 1, seed)


def of_another_class(num_goods, num_scenarios, seed):
    return nr.make_selection(num_goods, num_scenarios, seed)


@pytest.mark.parametrize(
    "make, words",
    [
        (without_seed, "the generator ignores its seed"),
        (with_chance, "the same seed must give the same problem"),
        (with_one_more, r"as many scenarios as it is asked for, got \[2, 5\]"),
        (of_another_class, "the generator must make Stock"),
    ],
)
def test_generators_that_are_wrong_are_caught(make, words):
    """Experiments could not be repeated."""
    refused(Family("stock", Stock, make), words)


def seen(**attributes):
    """The property `learned` of a class, with a view of these attributes."""
    return property(type("View", (LearnedView,), attributes))


def narrow(self):
    """As many features as there are goods."""
    from neurprise.networks.scenario_graph import feature, undirected

    n, ends = self.problem.num_first_stage, np.zeros(1, dtype=int)
    return undirected(np.ones((n, n)), feature(np.arange(n), 0), self.problem.prices, ends, ends, np.ones(1))


def first_stands_out(self, scores):
    return np.where(np.arange(len(scores)) == 0, 9.0, scores)


def in_place(self, scores):
    scores += 1.0
    return scores


@pytest.mark.parametrize(
    "attributes, words",
    [
        ({"encodings": ("tripartite",)}, "encodings must be some of"),
        ({"default_encoding": "ps"}, "default_encoding must be one of its encodings"),
        ({"final_scores": first_stands_out}, "final_scores must not depend on the order"),
        ({"final_scores": in_place}, "must leave the scores that it is given alone"),
        ({"final_scores": lambda self, scores: scores[:1]}, "final_scores must be finite, one per scenario"),
        ({"encodings": ("ps",), "default_encoding": "ps", "compact_graph": narrow}, "must have one width"),
    ],
)
def test_views_that_are_wrong_are_caught(attributes, words):
    """Encodings that do not exist, scores that depend on the order, networks of changing width."""

    def several_sizes():
        return [STOCK.draw([3], 4, 0), STOCK.draw([5], 4, 0)]

    family = changed(Stock, learned=seen(**attributes))
    examples = [family.problem(**STOCK.arguments(problem)) for problem in several_sizes()]
    refused(Family("mutant", family.problem, family.make, lambda: examples), words)


def test_graphs_that_depend_on_the_order_are_caught():
    """The first scenario is no better known than the others."""

    def ordered(self):
        from neurprise.networks.scenario_graph import feature, undirected

        n, ends = self.problem.num_first_stage, np.zeros(1, dtype=int)
        marked = np.cumsum(self.problem.prices, axis=0)
        return undirected(np.ones((n, 2)), feature(np.arange(n), 0), marked, ends, ends, np.ones(1))

    view = seen(encodings=("cv", "ps"), compact_graph=ordered)
    refused(changed(Stock, learned=view), "graphs of encoding 'ps' must not depend on the order")
