type Properties<K extends keyof HTMLElementTagNameMap> = Partial<Omit<HTMLElementTagNameMap[K], "children">>;

/** Creates an element without parsing HTML, which a page's content security policy may forbid. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  properties: Properties<K>,
  children: (Node | string)[] = [],
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}
