type Properties<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], "children">>;

/** Makes an element without markup, which a page's policy may forbid. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Properties<K>,
  children: (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
