// Where the rows of the heat map lie: variables by network, as high as there is room for.

const ROOM = 460, DENSE = 600, TALLEST = 21, LOWEST = 2.5, LABELLED = 12, HEAD = 24;

/** {rows: [y, …], height, size, labelled, networks: [{name, y, height}]} */
export function layout(rows) {
  const networks = [];
  for (const [at, row] of rows.entries()) {
    if (networks.at(-1)?.name === row.network && networks.at(-1).group === row.group) networks.at(-1).count++;
    else networks.push({name: row.network, group: row.group, first: at, count: 1});
  }
  let size = Math.floor((ROOM - networks.length * HEAD) / Math.max(rows.length, 1));
  const labelled = size >= LABELLED || rows.length <= 24;
  if (!labelled) size = Math.floor(DENSE / Math.max(rows.length, 1) * 2) / 2;
  size = Math.min(Math.max(size, labelled ? LABELLED + 2 : LOWEST), TALLEST);
  const places = [];
  let y = 0;
  for (const network of networks) {
    if (labelled) y += HEAD; // a gap between thin rows would look like a dead layer
    network.y = y;
    for (let at = 0; at < network.count; at++) {
      places.push(y);
      y += size;
    }
    network.height = y - network.y;
  }
  return {places, size, labelled, networks, height: y + 4};
}

/** A variable's name without that of its network, which stands above it. */
export function inner(row) {
  const start = `${row.network}.`;
  return row.name.startsWith(start) && row.name.length > start.length ? row.name.slice(start.length) : row.name;
}
