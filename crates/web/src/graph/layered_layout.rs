//! A layered layout of a directed graph (Sugiyama's method), from left to right.
//!
//! 1. Edges that close a cycle are reversed (depth-first search).
//! 2. Every node gets a layer: the longest path that leads to it.
//! 3. Edges that cross several layers are split by bend points.
//! 4. Nodes are ordered within their layers by the barycentre of their neighbours, to cross few edges.
//! 5. Coordinates: each node moves towards the middle of its neighbours as far as its own layer permits.
//!
//! The layout is a pure function of its input: equal graphs are drawn equally.

use std::collections::BTreeMap;

/// Distance between layers.
const LAYER_GAP: f64 = 56.0;
/// Distance between nodes of a layer.
const NODE_GAP: f64 = 10.0;
/// Height reserved for a bend point.
const BEND_HEIGHT: f64 = 6.0;
/// Number of sweeps that order the layers.
const ORDER_SWEEPS: usize = 12;
/// Number of sweeps that move the nodes.
const PLACE_SWEEPS: usize = 16;

/// The size of a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NodeSize {
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The place of a node: its upper left corner.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Place {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) layer: usize,
}

/// A drawn edge.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Route {
    /// The points that it passes, from the source to the target.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A drawn graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    pub(crate) places: Vec<Place>,
    /// One for each edge of the input.
    pub(crate) routes: Vec<Route>,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A count as a coordinate. Counts that do not fit into 32 bits do not occur.
pub(crate) fn number(count: usize) -> f64 {
    u32::try_from(count).map_or(f64::MAX, f64::from)
}

/// Lays out a graph. Edges are pairs of node numbers; an edge from a node to itself gets a route without points.
pub(crate) fn layered_layout(sizes: &[NodeSize], edges: &[(usize, usize)]) -> Layout {
    let forward = acyclic(sizes.len(), edges);
    let layers = longest_paths(sizes.len(), &forward);
    let mut grid = Grid::new(sizes, &forward, &layers);
    grid.order();
    grid.place();
    grid.finish(sizes, edges)
}

/// The edges with those reversed that close a cycle; without loops.
fn acyclic(nodes: usize, edges: &[(usize, usize)]) -> Vec<(usize, usize)> {
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        targets[from].push(to);
    }
    // The order in which a depth-first search leaves the nodes; every edge of a tree leads to a node that is left earlier.
    let mut left_at = vec![usize::MAX; nodes];
    let mut entered = vec![false; nodes];
    let mut clock = 0;
    let has_source: Vec<bool> = {
        let mut has = vec![false; nodes];
        edges.iter().filter(|(from, to)| from != to).for_each(|&(_, to)| has[to] = true);
        has
    };
    let starts = (0..nodes).filter(|&node| !has_source[node]).chain(0..nodes);
    for start in starts {
        if entered[start] {
            continue;
        }
        entered[start] = true;
        let mut stack = vec![(start, 0)];
        while let Some((node, next)) = stack.last_mut() {
            if let Some(&target) = targets[*node].get(*next) {
                *next += 1;
                if !entered[target] {
                    entered[target] = true;
                    stack.push((target, 0));
                }
            } else {
                left_at[*node] = clock;
                clock += 1;
                stack.pop();
            }
        }
    }
    let directed = |&(from, to): &(usize, usize)| {
        if left_at[from] >= left_at[to] { (from, to) } else { (to, from) }
    };
    edges.iter().filter(|(from, to)| from != to).map(directed).collect()
}

/// The layer of each node of a graph without cycles: the length of the longest path to it. Nodes without sources move next to their
/// nearest target, so that their edges are short.
fn longest_paths(nodes: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut layers = vec![0_usize; nodes];
    let mut sources = vec![0_usize; nodes];
    let mut targets: Vec<Vec<usize>> = vec![Vec::new(); nodes];
    for &(from, to) in edges {
        sources[to] += 1;
        targets[from].push(to);
    }
    let roots: Vec<usize> = (0..nodes).filter(|&node| sources[node] == 0).collect();
    let mut ready = roots.clone();
    while let Some(node) = ready.pop() {
        for &target in &targets[node] {
            layers[target] = layers[target].max(layers[node] + 1);
            sources[target] -= 1;
            if sources[target] == 0 {
                ready.push(target);
            }
        }
    }
    for root in roots {
        if let Some(nearest) = targets[root].iter().map(|&target| layers[target]).min() {
            layers[root] = nearest.saturating_sub(1);
        }
    }
    layers
}

/// A node of the grid: a node of the graph, or a bend point of an edge.
struct Cell {
    size: NodeSize,
    /// The upper edge.
    y: f64,
    before: Vec<usize>,
    after: Vec<usize>,
}

impl Cell {
    fn middle(&self) -> f64 {
        self.y + self.size.height / 2.0
    }
}

/// The layers with all cells. The first cells are the nodes of the graph.
struct Grid {
    cells: Vec<Cell>,
    /// The cells of each layer, from top to bottom.
    layers: Vec<Vec<usize>>,
    layer_of: Vec<usize>,
    /// The place of each cell in its layer, while layers are ordered.
    position: Vec<usize>,
    /// The bend points of each edge, by its ends in the direction of the layers.
    bends: BTreeMap<(usize, usize), Vec<usize>>,
}

impl Grid {
    fn new(sizes: &[NodeSize], edges: &[(usize, usize)], layer_of: &[usize]) -> Self {
        let cell = |size| Cell { size, y: 0.0, before: Vec::new(), after: Vec::new() };
        let mut grid = Self {
            cells: sizes.iter().map(|size| cell(*size)).collect(),
            layers: vec![Vec::new(); layer_of.iter().max().map_or(0, |most| most + 1)],
            layer_of: layer_of.to_vec(),
            position: Vec::new(),
            bends: BTreeMap::new(),
        };
        for (node, layer) in layer_of.iter().enumerate() {
            grid.layers[*layer].push(node);
        }
        let mut unique: Vec<(usize, usize)> = edges.to_vec();
        unique.sort_unstable();
        unique.dedup();
        for (from, to) in unique {
            let (first, last) = (layer_of[from], layer_of[to]);
            let mut previous = from;
            let mut bends = Vec::new();
            for layer in first + 1..last {
                let bend = grid.cells.len();
                grid.cells.push(cell(NodeSize { width: 0.0, height: BEND_HEIGHT }));
                grid.layer_of.push(layer);
                grid.layers[layer].push(bend);
                grid.connect(previous, bend);
                bends.push(bend);
                previous = bend;
            }
            grid.connect(previous, to);
            grid.bends.insert((from, to), bends);
        }
        grid.position = vec![0; grid.cells.len()];
        grid
    }

    fn connect(&mut self, from: usize, to: usize) {
        self.cells[from].after.push(to);
        self.cells[to].before.push(from);
    }

    /// Orders the cells within their layers: alternately by their neighbours before and after. Keeps the best order.
    fn order(&mut self) {
        let mut best = (self.crossings(), self.layers.clone());
        for sweep in 0..ORDER_SWEEPS {
            if best.0 == 0 {
                break;
            }
            let forward = sweep % 2 == 0;
            let count = self.layers.len();
            for step in 1..count {
                let layer = if forward { step } else { count - 1 - step };
                self.order_layer(layer, forward);
            }
            let crossings = self.crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    fn order_layer(&mut self, layer: usize, forward: bool) {
        let neighbour_layer = if forward { layer - 1 } else { layer + 1 };
        for (at, &cell) in self.layers[neighbour_layer].iter().enumerate() {
            self.position[cell] = at;
        }
        let mut keyed: Vec<(f64, usize, usize)> = self.layers[layer]
            .iter()
            .enumerate()
            .map(|(at, &cell)| {
                let neighbours = if forward { &self.cells[cell].before } else { &self.cells[cell].after };
                let sum: f64 = neighbours.iter().map(|&one| number(self.position[one])).sum();
                let mean = if neighbours.is_empty() { number(at) } else { sum / number(neighbours.len()) };
                (mean, at, cell)
            })
            .collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.layers[layer] = keyed.into_iter().map(|(_, _, cell)| cell).collect();
    }

    /// Number of crossings between neighbouring layers, counted with a Fenwick tree.
    fn crossings(&mut self) -> usize {
        for layer in &self.layers {
            for (at, &cell) in layer.iter().enumerate() {
                self.position[cell] = at;
            }
        }
        let position = &self.position;
        let mut crossings = 0;
        for pair in self.layers.windows(2) {
            let mut ends: Vec<(usize, usize)> = Vec::new();
            for &cell in &pair[0] {
                ends.extend(self.cells[cell].after.iter().map(|&to| (position[cell], position[to])));
            }
            ends.sort_unstable();
            let mut tree = vec![0_usize; pair[1].len() + 1];
            for (seen, &(_, to)) in ends.iter().enumerate() {
                // Edges that began above and end at or above this one do not cross it.
                let (mut at, mut not_crossed) = (to + 1, 0);
                while at > 0 {
                    not_crossed += tree[at];
                    at &= at - 1;
                }
                crossings += seen - not_crossed;
                let mut at = to + 1;
                while at < tree.len() {
                    tree[at] += 1;
                    at += at & at.wrapping_neg();
                }
            }
        }
        crossings
    }

    /// Assigns vertical coordinates.
    fn place(&mut self) {
        for layer in 0..self.layers.len() {
            let mut y = 0.0;
            for &cell in &self.layers[layer] {
                self.cells[cell].y = y;
                y += self.cells[cell].size.height + NODE_GAP;
            }
        }
        for sweep in 0..PLACE_SWEEPS {
            let forward = sweep % 2 == 0;
            let count = self.layers.len();
            for step in 0..count {
                let layer = if forward { step } else { count - 1 - step };
                self.place_layer(layer, forward);
            }
        }
        let top = self.cells.iter().map(|cell| cell.y).fold(f64::INFINITY, f64::min);
        if top.is_finite() {
            self.cells.iter_mut().for_each(|cell| cell.y -= top);
        }
    }

    /// Moves the cells of a layer towards the middle of their neighbours, in order and without overlap: cells that collide are joined
    /// to blocks that move together.
    fn place_layer(&mut self, layer: usize, forward: bool) {
        struct Block {
            start: f64,
            height: f64,
            cells: Vec<usize>,
            wish: f64,
        }
        let mut blocks: Vec<Block> = Vec::new();
        for &cell in &self.layers[layer] {
            let own = &self.cells[cell];
            let neighbours = if forward { &own.before } else { &own.after };
            let wish = if neighbours.is_empty() {
                own.y
            } else {
                let sum: f64 = neighbours.iter().map(|&one| self.cells[one].middle()).sum();
                sum / number(neighbours.len()) - own.size.height / 2.0
            };
            let height = own.size.height + NODE_GAP;
            let mut block = Block { start: wish, height, cells: vec![cell], wish };
            while let Some(above) = blocks.last() {
                if above.start + above.height <= block.start {
                    break;
                }
                let Some(mut above) = blocks.pop() else { break };
                // The wish of a block is the mean of the wishes of its cells for its beginning.
                let (a, b) = (number(above.cells.len()), number(block.cells.len()));
                let shifted = block.wish - above.height;
                above.wish = (above.wish * a + shifted * b) / (a + b);
                above.start = above.wish;
                above.height += block.height;
                above.cells.append(&mut block.cells);
                block = above;
            }
            blocks.push(block);
        }
        for block in blocks {
            let mut y = block.start;
            for cell in block.cells {
                self.cells[cell].y = y;
                y += self.cells[cell].size.height + NODE_GAP;
            }
        }
    }

    /// The places of the nodes and the routes of the edges.
    fn finish(self, sizes: &[NodeSize], edges: &[(usize, usize)]) -> Layout {
        // The left and the right edge of each layer.
        let mut columns = Vec::new();
        let mut x = 0.0;
        for layer in &self.layers {
            let widest = layer.iter().map(|&cell| self.cells[cell].size.width).fold(0.0, f64::max);
            columns.push((x, x + widest));
            x += widest + LAYER_GAP;
        }
        let width = (x - LAYER_GAP).max(0.0);
        let places: Vec<Place> = (0..sizes.len())
            .map(|node| Place {
                x: columns[self.layer_of[node]].0,
                y: self.cells[node].y,
                layer: self.layer_of[node],
            })
            .collect();
        let height = self.cells.iter().map(|cell| cell.y + cell.size.height).fold(0.0, f64::max);
        let routes = edges.iter().map(|&(from, to)| self.route(&places, sizes, &columns, from, to)).collect();
        Layout { places, routes, width, height }
    }

    /// The points of an edge. Within a layer it is horizontal, so that it does not cross the nodes beside it.
    fn route(
        &self,
        places: &[Place],
        sizes: &[NodeSize],
        columns: &[(f64, f64)],
        from: usize,
        to: usize,
    ) -> Route {
        if from == to {
            return Route::default();
        }
        let (reversed, bends) = match (self.bends.get(&(from, to)), self.bends.get(&(to, from))) {
            (Some(bends), _) if self.layer_of[from] < self.layer_of[to] => (false, bends),
            (_, Some(bends)) => (true, bends),
            _ => return Route::default(),
        };
        let (left, right) = if reversed { (to, from) } else { (from, to) };
        let middle = |node: usize| places[node].y + sizes[node].height / 2.0;
        let start = (places[left].x + sizes[left].width, middle(left));
        let mut points = vec![start, (columns[self.layer_of[left]].1, start.1)];
        for &bend in bends {
            let (begin, end) = columns[self.layer_of[bend]];
            let y = self.cells[bend].middle();
            points.extend([(begin, y), (end, y)]);
        }
        points.push((places[right].x, middle(right)));
        points.dedup();
        if reversed {
            points.reverse();
        }
        Route { points }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sizes(nodes: usize) -> Vec<NodeSize> {
        (0..nodes).map(|node| NodeSize { width: 60.0 + number(node % 5) * 20.0, height: 30.0 }).collect()
    }

    #[test]
    fn a_chain_is_a_row() {
        let layout = layered_layout(&sizes(3), &[(0, 1), (1, 2)]);
        let layers: Vec<usize> = layout.places.iter().map(|place| place.layer).collect();
        assert_eq!(layers, [0, 1, 2]);
        assert!(layout.places.iter().all(|place| place.y.abs() < 1e-6));
    }

    #[test]
    fn a_cycle_is_drawn_with_one_edge_backwards() {
        let layout = layered_layout(&sizes(3), &[(0, 1), (1, 2), (2, 0)]);
        let backwards = layout
            .routes
            .iter()
            .filter(|route| route.points.first().map(|p| p.0) > route.points.last().map(|p| p.0));
        assert_eq!(backwards.count(), 1);
    }

    #[test]
    fn crossings_are_removed_where_possible() {
        // Drawn in the order of the input, every pair of these edges would cross.
        let edges = [(0, 5), (1, 4), (2, 3)];
        let forward = acyclic(6, &edges);
        let mut grid = Grid::new(&sizes(6), &forward, &longest_paths(6, &forward));
        assert_eq!(grid.crossings(), 3);
        grid.order();
        assert_eq!(grid.crossings(), 0);
    }

    #[test]
    fn an_empty_graph_has_no_size() {
        let layout = layered_layout(&[], &[]);
        assert_eq!((layout.width, layout.height), (0.0, 0.0));
    }

    proptest! {
        #[test]
        fn nodes_do_not_overlap_and_edges_connect_their_ends(
            nodes in 1_usize..40,
            edges in proptest::collection::vec((0_usize..40, 0_usize..40), 0..120),
        ) {
            let edges: Vec<(usize, usize)> = edges.into_iter().map(|(a, b)| (a % nodes, b % nodes)).collect();
            let sizes = sizes(nodes);
            let layout = layered_layout(&sizes, &edges);
            for a in 0..nodes {
                for b in a + 1..nodes {
                    let (p, q) = (layout.places[a], layout.places[b]);
                    let apart = p.y + sizes[a].height <= q.y + 1e-6 || q.y + sizes[b].height <= p.y + 1e-6;
                    prop_assert!(p.layer != q.layer || apart, "{a} and {b} overlap");
                }
            }
            for (edge, route) in edges.iter().zip(&layout.routes) {
                prop_assert_eq!(edge.0 == edge.1, route.points.is_empty());
                if edge.0 != edge.1 {
                    prop_assert!(layout.places[edge.0].layer != layout.places[edge.1].layer);
                }
            }
            prop_assert!(layout.places.iter().all(|place| place.y >= 0.0 && place.y <= layout.height));
            let again = layered_layout(&sizes, &edges);
            prop_assert_eq!(layout.places, again.places);
        }
    }
}
