import { expect, test } from 'vitest'
import fc from '../../../../tests/harness/fast-check.ts'
import { durationOf, hasFec, JitterBuffer, maxWaitMs, minWaitMs } from './jitter-buffer.ts'

/** A packet of 20 ms: SILK, wideband, one frame. */
const packet = Uint8Array.of(0x48, 0, 0)

/** Puts packets of 20 ms; 0 in a list is a tick. `out` has the sequence numbers that came out, in order. */
class BufferHarness {
  readonly buffer = new JitterBuffer()
  readonly out: number[] = []
  readonly gaps: number[] = []

  put(...sequences: number[]): this {
    for (const sequence of sequences) this.buffer.put(packet, sequence, sequence * 960)
    return this
  }

  tick(times = 1): this {
    for (let time = 0; time < times; time++) {
      this.buffer.tick()
      for (let next = this.buffer.next(); next; next = this.buffer.next()) {
        this.out.push(next.sequence)
        if (next.gapMs > 0) this.gaps.push(next.gapMs)
      }
      this.buffer.takeFiller()
    }
    return this
  }
}

test('packets in order are passed on at once', () => {
  expect(new BufferHarness().put(1).tick().put(2, 3).tick().out).toEqual([1, 2, 3])
})

test('a packet that was overtaken is waited for, and comes out in its place', () => {
  const line = new BufferHarness().put(1).tick().put(3).tick()
  expect(line.out).toEqual([1])
  expect(line.put(2).tick().out).toEqual([1, 2, 3])
  expect(line.buffer.counts.lost).toBe(0)
})

test('a missing one is given up after 40 ms more than its own turn, and its gap is as long as it was', () => {
  const line = new BufferHarness().put(1).tick().put(4).tick(2)
  expect(line.out).toEqual([1])
  expect(line.tick().out).toEqual([1, 4])
  expect(line.gaps).toEqual([40])
  expect(line.buffer.counts.lost).toBe(2)
})

test('sound that has come behind a missing packet tells time, too: a burst is not held up', () => {
  expect(new BufferHarness().put(1).tick().put(3, 4).tick().out).toEqual([1])
  expect(new BufferHarness().put(1).tick().put(3, 4, 5).tick().out).toEqual([1, 3, 4, 5])
})

test('repeated and late packets never come out, and a late one lengthens the wait by as much as it was late', () => {
  const line = new BufferHarness().put(1, 1).tick().put(1).put(3, 3).tick(3)
  expect(line.out).toEqual([1, 3])
  line.put(3).tick(2).put(2).tick()
  expect(line.out).toEqual([1, 3])
  expect(line.buffer.counts).toMatchObject({ taken: 2, repeated: 4, late: 1, lost: 1 })
  expect(line.buffer.waitMs).toBe(minWaitMs + 60)
  line.put(2)
  expect(line.buffer.counts.repeated).toBe(5)
})

test('the wait grows to 200 ms and no further, and shrinks by 20 ms in each five seconds without a late packet', () => {
  const line = new BufferHarness()
  for (let sequence = 1; sequence < 40; sequence += 2)
    line
      .put(sequence)
      .tick(12)
      .put(sequence - 1)
  expect(line.buffer.waitMs).toBe(maxWaitMs)
  line.tick(249)
  expect(line.buffer.waitMs).toBe(maxWaitMs)
  line.tick()
  expect(line.buffer.waitMs).toBe(maxWaitMs - 20)
  line.tick(250 * 20)
  expect(line.buffer.waitMs).toBe(minWaitMs)
})

test('filler is due each tick once nothing has come for too long, and is taken off the gap behind it', () => {
  const line = new BufferHarness().put(1).tick(3)
  line.buffer.tick()
  expect(line.buffer.takeFiller()).toBe(true)
  expect(line.buffer.takeFiller()).toBe(false)
  // The earlier packets have been waited for long enough, and 20 of the 100 ms between were filled.
  expect(line.put(7).tick().out).toEqual([1, 7])
  expect(line.gaps).toEqual([80])
})

test('the next packet is missed only once the last one has ended, however long that is', () => {
  const buffer = new JitterBuffer()
  const long = Uint8Array.of(0x58, 0, 0)
  const isFillerDue = (): boolean => {
    buffer.tick()
    buffer.next()
    return buffer.takeFiller()
  }
  buffer.put(long, 1, 0)
  expect(Array.from({ length: 6 }, isFillerDue)).toEqual([false, false, false, false, false, true])
})

test('of those given up, the last 64 are known as such when they come late', () => {
  const line = new BufferHarness().put(1).tick().put(67).tick(3)
  expect(line.out).toEqual([1, 67])
  line.put(2, 3)
  expect(line.buffer.counts).toMatchObject({ late: 1, repeated: 1 })
  line.put(133).tick(12)
  expect(line.out).toEqual([1, 67, 133])
  line.put(66, 132)
  expect(line.buffer.counts).toMatchObject({ late: 2, repeated: 2 })
})

test('packets that were only delayed are all passed on, however late they are, and the wait grows', () => {
  const line = new BufferHarness().put(1).tick(20).put(2, 3, 4, 5).tick()
  expect(line.out).toEqual([1, 2, 3, 4, 5])
  expect(line.gaps).toEqual([])
  expect(line.buffer.waitMs).toBe(maxWaitMs)
})

test('a sender that was silent (DTX) leaves a gap without a loss, which is not waited for', () => {
  const line = new BufferHarness().put(1).tick()
  line.buffer.put(packet, 2, 6 * 960)
  line.buffer.tick()
  expect(line.buffer.next()).toMatchObject({ sequence: 2, gapMs: 80, isLoss: false })
})

test('timestamps wrap, and those that jump or run backwards leave no gap', () => {
  const at = (...timestamps: number[]): number[] => {
    const buffer = new JitterBuffer()
    return timestamps.map((timestamp, sequence) => {
      buffer.put(packet, sequence, timestamp)
      buffer.tick()
      return buffer.next()!.gapMs
    })
  }
  expect(at(2 ** 32 - 960, 0, 960)).toEqual([0, 0, 0])
  expect(at(2 ** 32 - 960, 960)).toEqual([0, 20])
  expect(at(0, 48 * 1_020)).toEqual([0, 1_000])
  expect(at(0, 48 * 1_021)).toEqual([0, 0])
  expect(at(0, 2 ** 31, 5)).toEqual([0, 0, 0])
})

test('what nobody pulls does not pile up', () => {
  const line = new BufferHarness().put(...Array.from({ length: 250 }, (_, index) => index))
  expect(line.tick().out).toEqual(Array.from({ length: 100 }, (_, index) => 150 + index))
})

test('durations are read from the packet: 2.5 to 60 ms and 1,275 bytes are taken, anything else is not', () => {
  expect(durationOf(Uint8Array.of(0x80))).toBe(2.5)
  expect(durationOf(Uint8Array.of(0x18))).toBe(60)
  expect(durationOf(Uint8Array.of(0x4b, 3))).toBe(60)
  expect(durationOf(Uint8Array.of(0x4b, 4))).toBeUndefined()
  expect(durationOf(Uint8Array.of(0x19))).toBeUndefined()
  expect(durationOf(Uint8Array.of(0x4b, 0))).toBeUndefined()
  expect(durationOf(Uint8Array.of(0x4b))).toBeUndefined()
  expect(durationOf(new Uint8Array(0))).toBeUndefined()
  expect(durationOf(new Uint8Array(1_275).fill(0x48))).toBe(20)
  expect(durationOf(new Uint8Array(1_276).fill(0x48))).toBeUndefined()
})

test('a repair is looked for where SILK has its bit: behind one voice bit for 20 ms, and three for 60', () => {
  expect(hasFec(Uint8Array.of(0x48, 0b0100_0000))).toBe(true)
  expect(hasFec(Uint8Array.of(0x48, 0b1011_1111))).toBe(false)
  expect(hasFec(Uint8Array.of(0x58, 0b0001_0000))).toBe(true)
  expect(hasFec(Uint8Array.of(0x58, 0b1110_1111))).toBe(false)
  expect(hasFec(Uint8Array.of(0x88, 0xff))).toBe(false)
})

test('whatever comes in whatever order, what comes out is in order, each once', () => {
  const steps = fc.array(
    fc.record({
      bytes: fc.uint8Array({ maxLength: 6 }),
      sequence: fc.oneof(fc.nat(50), fc.maxSafeNat()),
      timestamp: fc.nat(2 ** 32 - 1),
      ticks: fc.nat(5),
    }),
    { maxLength: 100 },
  )
  fc.assert(
    fc.property(steps, (all) => {
      const line = new BufferHarness()
      for (const { bytes, sequence, timestamp, ticks } of all) {
        line.buffer.put(bytes, sequence, timestamp)
        line.tick(ticks)
      }
      line.tick(20)
      expect(line.out).toEqual([...new Set(line.out)].sort((a, b) => a - b))
      for (const gap of line.gaps) expect(gap).toSatisfy((ms: number) => ms <= 1_000 && ms % 2.5 === 0)
    }),
    { numRuns: 200 },
  )
})
