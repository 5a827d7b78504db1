type Json = Record<string, unknown>;

/**
 * Replaces parameters that several operations have with references, and returns them by name. Of different parameters
 * with one name, the most used is shared; the others stay inline.
 */
export function shareParameters(paths: Record<string, Json>): Record<string, Json> {
  const described = Object.values(paths)
    .flatMap((path) => Object.values(path))
    .filter((operation): operation is { parameters: Json[] } => Array.isArray((operation as Json).parameters));
  const parameters = described.flatMap((operation) => operation.parameters);
  const uses = Map.groupBy(parameters, (parameter) => JSON.stringify(parameter));
  const repeated = [...uses].filter(([, { length }]) => length > 1).sort(([, a], [, b]) => b.length - a.length);
  const shared: Record<string, Json> = {};
  const nameOf = new Map<string, string>();
  for (const [written, [parameter = {}]] of repeated) {
    const name = pascalCase(`${parameter.name}`);
    if (name in shared) continue;
    shared[name] = parameter;
    nameOf.set(written, name);
  }
  for (const operation of described) {
    operation.parameters = operation.parameters.map((parameter) => {
      const name = nameOf.get(JSON.stringify(parameter));
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    });
  }
  return shared;
}

const pascalCase = (name: string) => name.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
