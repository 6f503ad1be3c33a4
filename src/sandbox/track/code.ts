/** The code by which a track can be read in spite of compression: three bits stand for one, and any two of them may be lost for a while. */

/** Polynomials of the convolutional code of rate 1/3 and constraint length 7 (ETSI EN 300 401, octal 133, 171, 145). */
const polynomials = [0o133, 0o171, 0o145] as const
export const streams = polynomials.length
const memory = 6
const states = 1 << memory

const parity = (value: number): number => {
  let odd = 0
  for (let rest = value; rest > 0; rest &= rest - 1) odd ^= 1
  return odd
}

/** The bits of the three streams, for each state before a bit and each bit. */
const outputs = Array.from({ length: states }, (_, state) =>
  [0, 1].map((bit) => polynomials.map((polynomial) => parity(((bit << memory) | state) & polynomial))),
)

/** The three streams of the bits and of the zeros that bring the encoder back to its first state. */
export function convolve(bits: readonly number[]): number[][] {
  const all: number[][] = polynomials.map(() => [])
  let state = 0
  for (const bit of [...bits, ...new Array<number>(memory).fill(0)]) {
    for (const [stream, said] of outputs[state]![bit]!.entries()) all[stream]!.push(said)
    state = (state >> 1) | (bit << (memory - 1))
  }
  return all
}

/** The length of each stream for this many bits. */
export const lengthOf = (bits: number): number => bits + memory

/**
 * The likeliest bits (A. J. Viterbi 1967) of three streams of hints, each between -1 (surely 0) and 1 (surely 1), 0 where nothing is known. All hints
 * are read; `ending` gives the first `length` bits, on the assumption that the streams end after them.
 */
export function viterbiDecode(hints: readonly Float32Array[]): { ending: (length: number) => number[] } {
  const length = Math.min(...hints.map((stream) => stream.length))
  const decisions = new Uint8Array(length * states)
  let score = new Float64Array(states).fill(Number.NEGATIVE_INFINITY)
  score[0] = 0
  let next = new Float64Array(states)
  const gains = new Float64Array(8)
  for (let at = 0; at < length; at++) {
    for (let said = 0; said < 8; said++) {
      let gain = 0
      for (let stream = 0; stream < streams; stream++)
        gain += hints[stream]![at]! * ((said >> stream) & 1 ? 1 : -1)
      gains[said] = gain
    }
    step(score, next, gains, decisions, at * states)
    ;[score, next] = [next, score]
  }
  return { ending: (bits) => traceBack(decisions, lengthOf(bits)).slice(0, bits) }
}

/** For each state after a bit: the two states before it, and the bits of the three streams on the way from each, as a number of three bits. */
const arrivals = Array.from({ length: states }, (_, state) => {
  const bit = state >> (memory - 1)
  return [0, 1].map((lost) => {
    const from = ((state << 1) & (states - 1)) | lost
    return { from, said: outputs[from]![bit]!.reduce((sum, one, stream) => sum | (one << stream), 0) }
  })
})
const fromFirst = Uint8Array.from(arrivals, ([first]) => first!.from)
const fromSecond = Uint8Array.from(arrivals, ([, second]) => second!.from)
const saidFirst = Uint8Array.from(arrivals, ([first]) => first!.said)
const saidSecond = Uint8Array.from(arrivals, ([, second]) => second!.said)

function step(
  score: Float64Array,
  next: Float64Array,
  gains: Float64Array,
  decisions: Uint8Array,
  at: number,
): void {
  for (let state = 0; state < states; state++) {
    const first = score[fromFirst[state]!]! + gains[saidFirst[state]!]!
    const second = score[fromSecond[state]!]! + gains[saidSecond[state]!]!
    decisions[at + state] = second > first ? 1 : 0
    next[state] = Math.max(first, second)
  }
}

function traceBack(decisions: Uint8Array, length: number): number[] {
  const bits = new Array<number>(length)
  let state = 0
  for (let at = length - 1; at >= 0; at--) {
    bits[at] = state >> (memory - 1)
    state = ((state << 1) & (states - 1)) | decisions[at * states + state]!
  }
  return bits
}

/**
 * A checksum of 24 bits (the polynomial of RFC 9580, OpenPGP): one of sixteen million wrong readings is taken for right. The last exclusive or keeps
 * bits that end in zeros from being right a little earlier too.
 */
export function checksumOf(bits: readonly number[]): number {
  let register = 0xb7_04ce
  for (const bit of bits) {
    const high = ((register >> 23) & 1) ^ bit
    register = (register << 1) & 0xff_ffff
    if (high) register ^= 0x86_4cfb
  }
  return register ^ 0xa5_c3f1
}
export const checksumBits = 24

/** A number as `count` bits, the highest first. */
export const bitsOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, at) => (value >> (count - 1 - at)) & 1)
export const numberOf = (bits: readonly number[]): number => bits.reduce((sum, bit) => sum * 2 + bit, 0)
