/** Media types of saved files; types that a browser would execute are served as plain text. */
const types: Record<string, string> = {
  md: 'text/markdown; charset=utf-8',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  csv: 'text/csv; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

export const inertMediaType = (path: string): string =>
  types[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain; charset=utf-8'
