/** Types as files are handed over: what a browser would run is plain text there. */
const types: Record<string, string> = {
  md: 'text/markdown; charset=utf-8',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  csv: 'text/csv; charset=utf-8',
  css: 'text/css; charset=utf-8',
}

export const mediaTypeOf = (path: string): string =>
  types[/\.(\w+)$/.exec(path)?.[1]?.toLowerCase() ?? ''] ?? 'text/plain; charset=utf-8'
