import { expect, test } from 'vitest'
import { type Architecture, seccompFilter } from './seccomp.ts'

const allowed = 0x7fff_0000
const killed = 0x8000_0000
const refusedWith = (code: number): number => 0x0005_0000 | code

/** The kernel's answer to one call: interprets the filter by the definition of classic BPF. */
function answerOf(filter: Buffer, call: { architecture: number; number: number; args?: number[] }): number {
  const { architecture, number, args = [] } = call
  const word = (offset: number): number => {
    if (offset === 0) return number
    if (offset === 4) return architecture
    return (args[(offset - 16) / 8] ?? 0) >>> 0
  }
  let accumulator = 0
  for (let at = 0; at < filter.length / 8; at++) {
    const code = filter.readUInt16LE(8 * at)
    const [whenTrue, whenFalse] = [filter.readUInt8(8 * at + 2), filter.readUInt8(8 * at + 3)]
    const value = filter.readUInt32LE(8 * at + 4)
    if (code === 0x06) return value
    if (code === 0x20) accumulator = word(value)
    else if (code === 0x54) accumulator = (accumulator & value) >>> 0
    else if (code === 0x15) at += accumulator === value ? whenTrue : whenFalse
    else if (code === 0x35) at += accumulator >= value ? whenTrue : whenFalse
    else if (code === 0x45) at += (accumulator & value) >>> 0 ? whenTrue : whenFalse
    else throw new Error(`no such instruction: ${code}`)
  }
  throw new Error('it runs beyond its end')
}

const numbersOf = {
  x64: {
    own: 0xc000003e,
    read: 0,
    socket: 41,
    openat: 257,
    clone: 56,
    clone3: 435,
    ptrace: 101,
    unshare: 272,
    execve: 59,
  },
  arm64: {
    own: 0xc00000b7,
    read: 63,
    socket: 198,
    openat: 56,
    clone: 220,
    clone3: 435,
    ptrace: 117,
    unshare: 97,
    execve: 221,
  },
} as const

test.each<Architecture>(['x64', 'arm64'])(
  '%s: threads, files that are there and Unix sockets, and nothing that leads out',
  (name) => {
    const filter = seccompFilter(name)
    const { own, ...numbers } = numbersOf[name]
    const answer = (number: number, ...args: number[]) =>
      answerOf(filter, { architecture: own, number, args })
    expect(answer(numbers.read)).toBe(allowed)
    expect(answer(numbers.execve)).toBe(allowed)
    expect(answer(numbers.socket, 1)).toBe(allowed)
    for (const family of [0, 2, 10, 16, 17, 38, 40])
      expect(answer(numbers.socket, family)).toBe(refusedWith(13))
    expect(answer(numbers.openat, 0, 0, 0)).toBe(allowed)
    for (const flags of [0o100, 0o102, 0o100 | 0x80000])
      expect(answer(numbers.openat, 0, 0, flags)).toBe(refusedWith(13))
    // The flags of pthread_create; those of a new process; those of a thread in namespaces of its own.
    expect(answer(numbers.clone, 0x3d0f00)).toBe(allowed)
    expect(answer(numbers.clone, 17)).toBe(refusedWith(13))
    for (const space of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000])
      expect(answer(numbers.clone, 0x3d0f00 | space)).toBe(refusedWith(13))
    expect(answer(numbers.clone3)).toBe(refusedWith(38))
    for (const number of [numbers.ptrace, numbers.unshare, 425, 428, 434])
      expect(answer(number)).toBe(refusedWith(1))
  },
)

test('another table of numbers is no way around: 32 bits kill, x32 is refused', () => {
  const filter = seccompFilter('x64')
  expect(answerOf(filter, { architecture: 0x40000003, number: 3 })).toBe(killed)
  expect(answerOf(filter, { architecture: 0xc000003e, number: 0x4000_0000 + 41 })).toBe(refusedWith(38))
})
