"""Families from tables of pandas: aligned by label, and named by it in every answer."""

import numpy as np
import pytest

import neurprise as nr

pd = pytest.importorskip("pandas", reason="tables of pandas")
TOOLS = ["hammer", "saw", "drill"]


def selection(now_order=TOOLS, later_order=TOOLS):
    now = pd.Series([3.0, 5.0, 8.0], TOOLS)[now_order]
    later = pd.DataFrame([[9, 4, 6], [2, 7, 7]], pd.to_datetime(["2026-06-01", "2026-06-08"]), TOOLS)[later_order]
    return nr.Selection(now, later, 2)


def test_a_selection_speaks_of_its_items_by_label():
    """Decision, recourse and scenarios."""
    problem = selection()
    assert problem.first_stage_names == ("take[hammer]", "take[saw]", "take[drill]")
    assert problem.recourse_names[0] == "take_later[hammer]"
    assert problem.recourse_row_names == ("exactly", "once[hammer]", "once[saw]", "once[drill]")
    assert problem.scenario_names == ("2026-06-01", "2026-06-08")
    report = nr.solve(problem)
    plain = nr.solve(nr.Selection([3, 5, 8], [[9, 4, 6], [2, 7, 7]], 2))
    assert list(report.decision.values()) == list(plain.decision.values())
    assert set(report.recourse("2026-06-08")) == {f"take_later[{tool}]" for tool in TOOLS}


def test_the_order_of_labels_does_not_matter():
    """The first labelled argument's order counts; the others follow it."""
    assert selection(later_order=["drill", "hammer", "saw"]) == selection()
    turned = nr.solve(selection(now_order=["drill", "saw", "hammer"]))
    assert turned.decision == nr.solve(selection()).decision


def test_labels_survive_a_file_and_a_choice_of_scenarios(tmp_path):
    """As names do."""
    selection().write(tmp_path / "tools.npz")
    read = nr.read(tmp_path / "tools.npz")
    assert read == selection()
    assert read.restrict([1]).scenario_names == ("2026-06-08",)


def test_labels_that_differ_are_refused():
    """With the one that is meant, and the way to go by position."""
    later = pd.DataFrame([[9, 4, 6]], columns=["hammer", "saw", "dril"])
    with pytest.raises(nr.InputError, match=r"columns of scenario_costs must name the items as the index of first_"):
        nr.Selection(pd.Series([3.0, 5.0, 8.0], TOOLS), later, 2)


def test_tables_without_labels_go_by_position():
    """As pandas counts what nobody named."""
    problem = nr.Selection(pd.Series([3.0, 5.0]), pd.DataFrame([[9.0, 4.0]]), 1)
    assert problem == nr.Selection([3.0, 5.0], [[9.0, 4.0]], 1)
    assert problem.x_names == ()


def test_a_cover_takes_edges_by_label():
    """From a table with a row per edge."""
    towns = ["Bergen", "Oslo", "Voss"]
    now, later = pd.Series([4.0, 9.0, 4.0], towns), pd.DataFrame([[6.0, 3.0, 6.0]], ["calm"], towns)
    roads = pd.DataFrame({"from": ["Voss", "Oslo"], "to": ["Oslo", "Bergen"]})
    problem = nr.VertexCover(now, later, roads)
    assert problem.edges.tolist() == [[0, 1], [1, 2]]
    assert problem == nr.VertexCover(now, later, [[2, 1], [1, 0]])
    assert problem.first_stage_names[1] == "cover[Oslo]"
    assert nr.solve(problem).recourse("calm")["whole_cover[Oslo]"] == 1.0
    with pytest.raises(nr.InputError, match=r"edges must name nodes, got 'Osslo' \(did you mean 'Oslo'\?\)"):
        nr.VertexCover(now, later, [["Osslo", "Voss"]])
    with pytest.raises(nr.InputError, match="the nodes have no labels"):
        nr.VertexCover([4.0, 9.0], [[6.0, 3.0]], [["Oslo", "Voss"]])


def test_labels_that_are_whole_numbers_are_labels_in_edges():
    """Never positions, which could not be told apart."""
    now, later = pd.Series([4.0, 9.0, 4.0], [10, 20, 30]), pd.DataFrame([[6.0, 3.0, 6.0]], columns=[10, 20, 30])
    assert nr.VertexCover(now, later, [[10, 20]]).edges.tolist() == [[0, 1]]
    with pytest.raises(nr.InputError, match="edges must name nodes, got '0'"):
        nr.VertexCover(now, later, [[0, 1]])


def test_sites_and_customers_are_named_on_the_map_and_in_shipments():
    """Sites and customers each in an order of their own, one table turned over."""
    sites, shops = ["north", "south"], ["A", "B", "C"]
    transport = pd.DataFrame([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]], sites, shops)
    tables = {
        "opening_costs": pd.Series([10.0, 20.0], sites),
        "capacity_costs": pd.Series([2.0, 1.0], ["south", "north"]),
        "max_capacities": [50.0, 60.0],
        "demands": pd.DataFrame([[5.0, 6.0, 7.0], [9.0, 1.0, 2.0]], ["wet", "dry"], ["C", "B", "A"]),
        "site_coordinates": pd.DataFrame({"x": [0.0, 1.0], "y": [5.0, 6.0]}, sites),
        "customer_coordinates": pd.DataFrame({"y": [0.0, 1.0, 2.0], "x": [3.0, 4.0, 5.0]}, shops),
    }
    with pytest.raises(nr.InputError, match="max_capacities, which has no labels, is unknown; label max_capacities"):
        nr.FacilityLocation(transport_costs=transport, **tables)
    problem = nr.FacilityLocation(transport_costs=transport, **{**tables, "max_capacities": pd.Series([50, 60], sites)})
    assert problem.capacity_costs.tolist() == [1.0, 2.0]
    assert problem.demands.tolist() == [[7.0, 6.0, 5.0], [2.0, 1.0, 9.0]]
    assert problem.customer_coordinates.tolist() == [[3.0, 0.0], [4.0, 1.0], [5.0, 2.0]]
    assert problem.first_stage_names == ("open[north]", "open[south]", "capacity[north]", "capacity[south]")
    assert problem.recourse_names[:3] == ("ship[north,A]", "ship[north,B]", "ship[north,C]")
    assert "demand[B]" in problem.picture.point_names
    shipped = nr.solve(problem).recourse("wet")
    assert np.isclose(shipped["ship[north,A]"] + shipped["ship[south,A]"], 7.0)
