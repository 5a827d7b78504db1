/** A node of PostgreSQL's parse tree of a statement, with its fields by name. */
export type TreeNode = { readonly kind: string; readonly fields: ReadonlyMap<string, Tree> };

/** A parse tree: a node, a list or a word. */
export type Tree = string | readonly Tree[] | TreeNode;

/** Parses a `pg_node_tree` (`src/backend/nodes/read.c`). */
export function readNodeTree(text: string): Tree {
  const tokens = text.match(/[(){}]|(?:\\[\s\S]|[^\s(){}\\])+/g) ?? [];
  let at = 0;

  function readValue(): Tree {
    const token = tokens[at++];
    if (token === "{") return readNode();
    if (token !== "(") return token?.replace(/\\([\s\S])/g, "$1") ?? "";
    const list: Tree[] = [];
    while (at < tokens.length && tokens[at] !== ")") list.push(readValue());
    at++;
    return list;
  }

  function readNode(): TreeNode {
    const kind = tokens[at++] ?? "";
    const fields = new Map<string, Tree>();
    while (at < tokens.length && tokens[at] !== "}") {
      const name = tokens[at++]?.slice(1) ?? "";
      const values: Tree[] = [];
      while (at < tokens.length && tokens[at] !== "}" && !tokens[at]?.startsWith(":")) values.push(readValue());
      fields.set(name, values.length === 1 ? (values[0] ?? "") : values);
    }
    at++;
    return { kind, fields };
  }

  return readValue();
}

export const isNode = (tree: Tree | undefined): tree is TreeNode => typeof tree === "object" && "kind" in tree;

/** The nodes of a field, which may be a node, a list or empty. */
export function nodesOf(tree: Tree | undefined): TreeNode[] {
  if (isNode(tree)) return [tree];
  return Array.isArray(tree) ? tree.flatMap(nodesOf) : [];
}

/** Every node of a tree. Does not descend into nodes that `enter` declines. */
export function* everyNode(
  tree: Tree | undefined,
  enter: (node: TreeNode) => boolean = () => true,
): Generator<TreeNode> {
  for (const node of nodesOf(tree)) {
    yield node;
    if (enter(node)) for (const field of node.fields.values()) yield* everyNode(field, enter);
  }
}
