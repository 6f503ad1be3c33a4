import { numberOf, type SchemaObject, UnsatisfiableSchema } from './schema-shape.ts'

/** A number within the bounds of the schema; variants walk upwards from it (or downwards from the upper bound). */
export function sampleNumber(
  flat: SchemaObject,
  integer: boolean,
  place: { path: string; variant: number },
): number {
  const over = numberOf(flat['exclusiveMinimum']) ?? -Infinity
  const under = numberOf(flat['exclusiveMaximum']) ?? Infinity
  const least = Math.max(numberOf(flat['minimum']) ?? -Infinity, over)
  const most = Math.min(numberOf(flat['maximum']) ?? Infinity, under)
  const multiple = numberOf(flat['multipleOf'])
  const inside = (value: number) =>
    Number.isFinite(value) &&
    value >= least &&
    value <= most &&
    value > over &&
    value < under &&
    (!integer || Number.isInteger(value)) &&
    (multiple === undefined || Number.isInteger(value / multiple))
  const found = candidates(least, most, integer, multiple).filter(inside)
  const different = [...new Set(found)]
  const chosen = different[place.variant % Math.max(1, different.length)]
  if (chosen === undefined)
    throw new UnsatisfiableSchema('The sandbox found no number in these bounds.', place.path)
  // JSON has no negative zero.
  return chosen === 0 ? 0 : chosen
}

/** Steps looked at on the grid of `multipleOf` or of the integers; rounding can spoil some of them. */
const steps = 600

function candidates(least: number, most: number, integer: boolean, multiple: number | undefined): number[] {
  const grid = multiple ?? 1
  const numbers: number[] = []
  if (multiple !== undefined || integer) {
    const from = Number.isFinite(least) ? least : Number.isFinite(most) ? Math.min(most, grid) : grid
    const start = Number.isFinite(least) ? Math.ceil(from / grid) : Math.floor(from / grid)
    const direction = Number.isFinite(least) || !Number.isFinite(most) ? 1 : -1
    for (let step = 0; step < steps; step++) numbers.push((start + step * direction) * grid)
    return numbers
  }
  if (Number.isFinite(least) && Number.isFinite(most)) {
    numbers.push(least)
    for (let step = 1; step < 64; step++) numbers.push(least + ((most - least) * step) / 64)
    numbers.push(most)
    return numbers
  }
  const start = Number.isFinite(least) ? least : Math.min(most, 1)
  const direction = Number.isFinite(least) || !Number.isFinite(most) ? 1 : -1
  const width = Math.max(1, Math.abs(start) * Number.EPSILON * 4)
  for (let step = 0; step < steps; step++) numbers.push(start + step * direction * width)
  return numbers
}
