import { expect, test } from 'vitest'
import { randomFrom } from '../../../../tests/harness/random.ts'
import { type ChargeRange, chargePortions, portionsFor, slotsCharged } from './charges.ts'
import { addSlot, bitsOf, emptyBits, intersection, type Slots, segmentSize, slotsBetween } from './slots.ts'

const random = randomFrom(19)
const below = (many: number): number => Math.floor(random() * many)
const newestFirst = (slots: Iterable<number>): number[] => [...slots].sort((one, other) => other - one)
const slotsOf = (slots: Slots): number[] => slotsBetween(slots, 0, segmentSize)

test('two sets share the slots that both have, whether they are lists or bits', () => {
  for (const [few, many] of [
    [5, 40],
    [300, 6_000],
    [6_000, 7_000],
  ] as const) {
    const [one, other] = [few, many].map(
      (count) => new Set(Array.from({ length: count }, () => below(segmentSize))),
    ) as [Set<number>, Set<number>]
    const shared = newestFirst([...one].filter((slot) => other.has(slot)))
    const forms = (slots: Set<number>): Slots[] => {
      const list = Uint16Array.from(slots).sort()
      return [list, bitsOf(list)]
    }
    for (const first of forms(one))
      for (const second of forms(other)) expect(slotsOf(intersection(first, second))).toEqual(shared)
  }
  expect(slotsOf(intersection(bitsOf(Uint16Array.of(1)), bitsOf(Uint16Array.of(2))))).toEqual([])
})

test('slots come newest first, from the first to before the end', () => {
  const bits = emptyBits()
  for (const slot of [0, 30, 31, 32, 33, 8_190, 8_191]) addSlot(bits, slot)
  expect(slotsOf(bits)).toEqual([8_191, 8_190, 33, 32, 31, 30, 0])
  for (const slots of [bits, Uint16Array.of(0, 30, 31, 32, 33, 8_190, 8_191)])
    expect(slotsBetween(slots, 30, 33)).toEqual([32, 31, 30])
})

/** Many equal charges, others each once, and some that are too far apart for one portion. */
const charges = Array.from({ length: segmentSize }, (_, slot) =>
  slot % 3 === 0 ? 0n : slot % 500 === 1 ? BigInt(slot) << 41n : BigInt(below(2_000)),
)
const { portions, bounds } = chargePortions(charges)

function within(range: ChargeRange): Slots | 'all' | 'none' {
  const wanted = portionsFor(bounds, range)
  return typeof wanted === 'string'
    ? wanted
    : slotsCharged(BigInt64Array.from(bounds), range, wanted, (nth) => portions[nth])
}

test('a range of charges has those at both of its ends, wherever a portion begins, and no others', () => {
  const some = bounds.filter((_, at) => at % 5 === 0)
  const ends = [...some, ...some.map((bound) => bound + 1n), ...charges.slice(0, 20), 1_999n, 2_000n]
  const ranges = ends.flatMap((end) => {
    const other = ends[below(ends.length)]!
    return [
      { min: end, max: undefined },
      { min: undefined, max: end },
      { min: end, max: end },
      end < other ? { min: end, max: other } : { min: other, max: end },
    ]
  })
  for (const range of ranges) {
    const isWithin = (charge: bigint): boolean =>
      (range.min === undefined || charge >= range.min) && (range.max === undefined || charge <= range.max)
    const expected = newestFirst([...charges.keys()].filter((slot) => isWithin(charges[slot]!)))
    const found = within(range)
    if (found === 'none') expect([range, expected]).toEqual([range, []])
    else if (found === 'all') expect([range, expected.length]).toEqual([range, segmentSize])
    else expect([range, slotsOf(found)]).toEqual([range, expected])
  }
})
