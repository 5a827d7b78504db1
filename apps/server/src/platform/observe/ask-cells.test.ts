import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { askCells, measureCells } from "./ask-cells.ts";
import { registry } from "./metrics.ts";

test("the metrics of cells are fresh in each response, and no process keeps them", async () => {
  const gone = new pg.Pool({ host: "127.0.0.1", port: 1 });
  const cells = new Map([
    [undefined, gone],
    ["eu", undefined],
  ]);
  const shown = async () => {
    const text = await registry.getSingleMetricAsString("lodged_cell_up");
    return text.match(/^lodged_cell_up\{.*$/gm) ?? [];
  };
  assert.deepEqual(await askCells(cells, 60_000), ["home", "eu"]);
  assert.deepEqual(await shown(), []);
  const forget = await measureCells(cells, 60_000);
  assert.deepEqual(await shown(), ['lodged_cell_up{cell="home"} 0', 'lodged_cell_up{cell="eu"} 0']);
  forget();
  assert.deepEqual(await shown(), []);
  await gone.end();
});
