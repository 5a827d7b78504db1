import assert from "node:assert/strict";
import { test } from "node:test";
import { keepMapping, Mapping, type RetracedCall } from "./mapping-file.ts";

const text = `# compiler: R8
# compiler_version: 8.5.35
# min_api: 24
# {"id":"com.android.tools.r8.mapping","version":"2.2"}
# pg_map_id: 7a2f1c0
com.acme.shop.Cart -> a.a:
# {"id":"sourceFile","fileName":"Cart.kt"}
    java.util.List lines -> a
    1:3:void <init>(java.util.List):12:14 -> <init>
    1:1:void <clinit>():9:9 -> <clinit>
    1:4:long total():20:23 -> a
    5:5:long com.acme.shop.Line.price():31:31 -> a
    5:5:long sum(int):25 -> a
    5:5:long total():21 -> a
      # {"id":"com.android.tools.r8.residualsignature","signature":"()J"}
    6:9:void total(int):40 -> a
    10:12:void kept(int) -> a
    1:2:void add(com.acme.shop.Line):50:51 -> b
    3:4:void add(java.lang.String):60:61 -> b
    1:5:void load(int):70:74 -> c
    3:8:void save(int):80:85 -> c
    void open() -> d
    void open(int) -> d
    void close() -> e
    void shut() -> e
    0:65535:void idle():0:0 -> f
com.acme.shop.Line -> a.b:
# {"id":"sourceFile","fileName":"Line.kt"}
    1:1:long price():31:31 -> a
com.acme.shop.Cart$load$2 -> a.c:
# {"fileName":"Cart.kt","id":"sourceFile"}
    1:7:java.lang.Object invokeSuspend(java.lang.Object):33:39 -> invokeSuspend
com.acme.shop.CartKt -> a.d:
    1:1:void com.acme.shop.Gone.helper():5:5 -> a
    1:1:int größe(com.acme.shop.Cart):8 -> a
com.acme.Main -> com.acme.Main:
    1:1:void main(java.lang.String[]):4:4 -> main
`;

const read = (source: string) => new Mapping(keepMapping(Buffer.from(source)));
const textsOf = (calls: RetracedCall[] | null | undefined) =>
  calls?.map(({ module, function: name, file, line }) => `${module}.${name}(${file}:${line})`) ?? null;

const cases: [name: string, module: string, called: string, line: number | null, expected: string[] | null][] = [
  ["a line of a range", "a.a", "a", 2, ["com.acme.shop.Cart.total(Cart.kt:21)"]],
  ["a constructor", "a.a", "<init>", 3, ["com.acme.shop.Cart.<init>(Cart.kt:14)"]],
  ["an initialiser of a class", "a.a", "<clinit>", 1, ["com.acme.shop.Cart.<clinit>(Cart.kt:9)"]],
  [
    "calls that were inlined, one of another class",
    "a.a",
    "a",
    5,
    [
      "com.acme.shop.Line.price(Line.kt:31)",
      "com.acme.shop.Cart.sum(Cart.kt:25)",
      "com.acme.shop.Cart.total(Cart.kt:21)",
    ],
  ],
  ["a range of one line", "a.a", "a", 8, ["com.acme.shop.Cart.total(Cart.kt:40)"]],
  ["a range of its own lines", "a.a", "a", 11, ["com.acme.shop.Cart.kept(Cart.kt:11)"]],
  ["an overload, by its line", "a.a", "b", 4, ["com.acme.shop.Cart.add(Cart.kt:61)"]],
  ["an overload without a line", "a.a", "b", null, ["com.acme.shop.Cart.add(Cart.kt:null)"]],
  ["a line of one of two ranges that overlap", "a.a", "c", 2, ["com.acme.shop.Cart.load(Cart.kt:71)"]],
  ["a line of two ranges", "a.a", "c", 4, ["com.acme.shop.Cart.load|save(Cart.kt:null)"]],
  ["a line of none", "a.a", "c", 99, ["com.acme.shop.Cart.load|save(Cart.kt:null)"]],
  ["an overload without ranges", "a.a", "d", 7, ["com.acme.shop.Cart.open(Cart.kt:7)"]],
  ["two names without ranges", "a.a", "e", 7, ["com.acme.shop.Cart.close|shut(Cart.kt:null)"]],
  ["no line in the source", "a.a", "f", 7, ["com.acme.shop.Cart.idle(Cart.kt:null)"]],
  ["a method that kept its name", "a.a", "toString", 7, ["com.acme.shop.Cart.toString(Cart.kt:7)"]],
  ["a coroutine of Kotlin", "a.c", "invokeSuspend", 7, ["com.acme.shop.Cart$load$2.invokeSuspend(Cart.kt:39)"]],
  [
    "a file of Kotlin, and a class that is gone",
    "a.d",
    "a",
    1,
    ["com.acme.shop.Gone.helper(null:5)", "com.acme.shop.CartKt.größe(null:8)"],
  ],
  ["a class that kept its name", "com.acme.Main", "main", 1, ["com.acme.Main.main(null:4)"]],
  ["a class that is not in the mapping", "java.util.List", "get", 1, null],
];

test("calls get the names they had before R8", () => {
  for (const source of [text, text.replaceAll("\n", "\r\n")]) {
    const mapping = read(source);
    for (const [name, module, called, line, expected] of cases) {
      assert.deepEqual(textsOf(mapping.retrace([{ module, function: called, line }])[0]), expected, name);
    }
    const together = mapping.retrace(cases.map(([, module, called, line]) => ({ module, function: called, line })));
    assert.deepEqual(
      together.map(textsOf),
      cases.map((one) => one[4]),
    );
    assert.equal(mapping.classOf("a.c"), "com.acme.shop.Cart$load$2");
    assert.equal(mapping.classOf("a.z"), null);
  }
});

test("the stored form is smaller than the original, without fields and types", () => {
  const kept = Buffer.from(keepMapping(Buffer.from(text))).toString();
  assert.ok(kept.length < text.length);
  assert.doesNotMatch(kept, /java\.|residual|lines|compiler/);
});

test("a file that is not a mapping is refused, and unknown lines are left out", () => {
  const refused: [string | Uint8Array, RegExp][] = [
    ["", /names no class/],
    ["# compiler: R8\n", /names no class/],
    ['{"version":3}', /names no class/],
    ["    1:1:void a():1:1 -> b\n", /names no class/],
    [new Uint8Array([0xff, 0x20]), /not UTF-8/],
    [`a -> b:\n${"(".repeat(70_000)}`, /line of more than/],
    ["a -> b:\n".repeat(500_001), /500000 classes/],
  ];
  for (const [bytes, reason] of refused) assert.throws(() => keepMapping(Buffer.from(bytes as string)), reason);
  const odd = `a.B -> a:
nonsense
    -> b
    void ( -> b
    v )( -> b
    ) v( -> b
    1:9999999999:void far():1:1 -> b
    9:1:void turned():1:1 -> c
    1:1:void ten(${"(".repeat(60_000)}) -> b
# {"id":"sourceFile","fileName":{}}
# {"id":"sourceFile"
    1:1:void fine():7:7 -> d
`;
  assert.deepEqual(textsOf(read(odd).retrace([{ module: "a", function: "d", line: 1 }])[0]), ["a.B.fine(null:7)"]);
});

test("the number and the length of entries in a mapping are bounded", () => {
  const long = "x".repeat(9_000);
  const inlined = ` 1:1:void ${long}.deep():1:1 -> a\n`.repeat(300);
  const names = Array.from({ length: 300 }, (_, index) => ` void n${index}() -> b\n`).join("");
  const mapping = read(`${long} -> a:\n# {"id":"sourceFile","fileName":"${long}"}\n${inlined}${names}`);
  const [deep, many] = mapping.retrace([
    { module: "a", function: "a", line: 1 },
    { module: "a", function: "b", line: 1 },
  ]);
  assert.equal(deep?.length, 50);
  assert.deepEqual(
    many?.map(({ function: name }) => name),
    ["b"],
  );
  for (const { module, file } of [...(deep ?? []), ...(many ?? [])]) {
    assert.deepEqual([module.length, (file ?? "").length], [500, 500]);
  }
});
