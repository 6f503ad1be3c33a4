/** The filters that are measured, alone and in pairs. */

interface Value {
  /** Values of one filter are not combined with each other. */
  filter: string
  name: string
  query: Record<string, string>
}

const id = (kind: number, nth: number): string =>
  `00000000-0000-7000-8000-00000000${String(kind).padStart(2, '0')}${String(nth).padStart(2, '0')}`

const one = (filter: string, names: Record<string, string>): Value[] =>
  Object.entries(names).map(([name, value]) => ({ filter, name, query: { [filter]: value } }))

/** Values of which some are common, some rare, and some occur never. */
function valuesUntil(newest: Date): Value[] {
  const daysAgo = (days: number) => new Date(newest.getTime() - days * 86_400_000).toISOString()
  return [
    { filter: 'time', name: 'the last day', query: { from: daysAgo(1) } },
    { filter: 'time', name: 'an hour long ago', query: { from: daysAgo(61), to: daysAgo(60.96) } },
    { filter: 'time', name: 'a month', query: { from: daysAgo(60), to: daysAgo(30) } },
    ...one('model', {
      common: 'vendor/model-1',
      second: 'vendor/model-2',
      rare: 'vendor/model-60',
      none: 'vendor/none',
    }),
    ...one('key_id', { common: id(2, 1), rare: id(2, 33) }),
    ...one('person_id', { some: id(3, 1) }),
    ...one('project_id', { common: id(1, 2), rare: id(1, 8) }),
    ...one('customer_id', { common: 'customer-1', some: 'customer-700', rare: 'customer-19999' }),
    ...one('reference_id', { common: 'nightly', unique: 'reference-70000' }),
    ...one('endpoint', {
      common: '/v1/messages',
      embeddings: '/v1/embeddings',
      rare: '/v1/images/generations',
    }),
    ...one('state', { completed: 'completed', failed: 'failed', running: 'running' }),
    ...one('status_code', { common: '503', rare: '413' }),
    { filter: 'cost', name: 'from 1000', query: { min_microcredits: '1000' } },
    { filter: 'cost', name: 'to 10', query: { max_microcredits: '10' } },
    { filter: 'cost', name: 'few', query: { min_microcredits: '1000000', max_microcredits: '1000020' } },
    { filter: 'cost', name: 'none', query: { min_microcredits: '90000000' } },
    ...one('idempotency_key', { unique: 'order-2000000' }),
  ]
}

/** Every value alone, and every two of different filters; times are counted back from the newest call. */
export function cases(newest: Date): { name: string; query: Record<string, string> }[] {
  const values = valuesUntil(newest)
  const named = ({ filter, name }: Value): string => `${filter} (${name})`
  const alone = values.map((value) => ({ name: named(value), query: value.query }))
  const pairs = values.flatMap((first, at) =>
    values
      .slice(at + 1)
      .filter((second) => second.filter !== first.filter)
      .map((second) => ({
        name: `${named(first)} × ${named(second)}`,
        query: { ...first.query, ...second.query },
      })),
  )
  return [{ name: 'no filter', query: {} }, ...alone, ...pairs]
}
