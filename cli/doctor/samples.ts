/** Reads Prometheus' text, as far as the doctor needs it. */
export interface Sample {
  labels: Readonly<Record<string, string>>
  value: number
}
export type Samples = ReadonlyMap<string, readonly Sample[]>

export function readSamples(text: string): Samples {
  const samples = new Map<string, Sample[]>()
  for (const line of text.split('\n')) {
    const found = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line)
    if (!found) continue
    const [, name = '', inside = '', value] = found
    const labels = Object.fromEntries(
      Array.from(inside.matchAll(/(?<!\w)(\w+)="((?:[^"\\]|\\.)*)"/g), ([, key, label = '']) => [
        key,
        label.replace(/\\(.)/g, (_, one: string) => (one === 'n' ? '\n' : one)),
      ]),
    )
    const known = samples.get(name) ?? []
    samples.set(name, known)
    known.push({ labels, value: value === '+Inf' ? Number.POSITIVE_INFINITY : Number(value) })
  }
  return samples
}

/** The sum of all samples with these labels; 0 when there is none. */
export const sumOf = (samples: Samples, name: string, labels: Record<string, string> = {}): number =>
  (samples.get(name) ?? [])
    .filter((sample) => fits(sample, labels))
    .reduce((sum, { value }) => sum + value, 0)

const fits = (sample: Sample, labels: Record<string, string>): boolean =>
  Object.entries(labels).every(([name, value]) => sample.labels[name] === value)

/** The upper bounds of a histogram, each with the number of figures at or below it. */
export const bucketsOf = (
  samples: Samples,
  name: string,
  labels: Record<string, string>,
): [number, number][] =>
  (samples.get(`${name}_bucket`) ?? [])
    .filter((sample) => fits(sample, labels))
    .map(({ labels: { le = '' }, value }): [number, number] => [
      le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
      value,
    ])
    .sort(([one], [other]) => one - other)

/** Estimates a quantile as Prometheus does: linear between two bounds, and the last finite bound beyond it. Undefined without figures. */
export function quantile(buckets: readonly (readonly [number, number])[], share: number): number | undefined {
  const all = buckets.at(-1)?.[1] ?? 0
  if (all === 0) return undefined
  const wanted = all * share
  let below = 0
  let from = 0
  for (const [bound, count] of buckets) {
    if (count >= wanted) {
      if (bound === Number.POSITIVE_INFINITY) return from
      return from + (bound - from) * ((wanted - below) / (count - below))
    }
    below = count
    from = bound
  }
  return from
}
