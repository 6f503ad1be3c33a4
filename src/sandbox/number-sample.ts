import { numberOf, type SchemaObject, UnsatisfiableSchema } from './schema-shape.ts'

/** A number within the bounds of the schema; variants walk upwards from it (or downwards from the upper bound). */
export function sampleNumber(
  flat: SchemaObject,
  integer: boolean,
  place: { path: string; variant: number },
): number {
  const over = numberOf(flat['exclusiveMinimum']) ?? -Infinity
  const under = numberOf(flat['exclusiveMaximum']) ?? Infinity
  const min = Math.max(numberOf(flat['minimum']) ?? -Infinity, over)
  const max = Math.min(numberOf(flat['maximum']) ?? Infinity, under)
  const multiple = numberOf(flat['multipleOf'])
  const inside = (value: number) =>
    Number.isFinite(value) &&
    value >= min &&
    value <= max &&
    value > over &&
    value < under &&
    (!integer || Number.isInteger(value)) &&
    (multiple === undefined || Number.isInteger(value / multiple))
  const found = candidates(min, max, integer, multiple).filter(inside)
  const different = [...new Set(found)]
  const chosen = different[place.variant % Math.max(1, different.length)]
  if (chosen === undefined)
    throw new UnsatisfiableSchema('The sandbox found no number in these bounds.', place.path)
  // JSON has no negative zero.
  return chosen === 0 ? 0 : chosen
}

/** How many steps are tried on the grid of `multipleOf` or of the integers; rounding can spoil some of them. */
const steps = 600

function candidates(min: number, max: number, integer: boolean, multiple: number | undefined): number[] {
  const grid = multiple ?? 1
  const numbers: number[] = []
  if (multiple !== undefined || integer) {
    const from = Number.isFinite(min) ? min : Number.isFinite(max) ? Math.min(max, grid) : grid
    const start = Number.isFinite(min) ? Math.ceil(from / grid) : Math.floor(from / grid)
    const direction = Number.isFinite(min) || !Number.isFinite(max) ? 1 : -1
    for (let step = 0; step < steps; step++) numbers.push((start + step * direction) * grid)
    return numbers
  }
  if (Number.isFinite(min) && Number.isFinite(max)) {
    numbers.push(min)
    for (let step = 1; step < 64; step++) numbers.push(min + ((max - min) * step) / 64)
    numbers.push(max)
    return numbers
  }
  const start = Number.isFinite(min) ? min : Math.min(max, 1)
  const direction = Number.isFinite(min) || !Number.isFinite(max) ? 1 : -1
  const width = Math.max(1, Math.abs(start) * Number.EPSILON * 4)
  for (let step = 0; step < steps; step++) numbers.push(start + step * direction * width)
  return numbers
}
