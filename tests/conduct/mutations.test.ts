import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { candidatesOf, draw } from '../../scripts/mutations/draw.ts'
import { drawnMutations, survivors } from '../../scripts/mutations/drawn.ts'
import { mutations, picked } from '../../scripts/mutations/list.ts'
import { type Mutation, mutated, rotten } from '../../scripts/mutations/mutation.ts'
import { walk } from '../../scripts/mutations/syntax.ts'
import { outcomeOf, type RanModule } from '../../scripts/mutations/test-session.ts'

const root = path.resolve(import.meta.dirname, '../..')
const codeOf = (file: string): string => readFileSync(path.join(root, file), 'utf8')

describe('the list of mutations', () => {
  test('stands: each text is once in its file, each change can be parsed, and each test file is there', () => {
    const wrong = [...mutations, ...survivors].flatMap((mutation) => {
      const { file, find } = mutation
      const code = codeOf(file)
      const why = rotten(mutation, code)
      if (why) return [`${file}: ${why}: ${find}`]
      const broken = mutated(mutation, code)
      if (file.endsWith('.ts')) walk(broken, () => false)
      const tested = 'test' in mutation ? (mutation as Mutation).test : undefined
      return tested === undefined || existsSync(path.join(root, tested)) ? [] : [`${file}: no file ${tested}`]
    })
    expect(wrong).toEqual([])
  })

  test('is long enough, names each change once, and says of each what it breaks', () => {
    expect(picked.length).toBeGreaterThanOrEqual(35)
    expect(drawnMutations.length).toBeGreaterThanOrEqual(25)
    expect(mutations.length).toBeGreaterThanOrEqual(60)
    const named = [...mutations, ...survivors].map(({ file, find, replace }) => `${file}${find}${replace}`)
    expect(new Set(named).size).toBe(named.length)
    for (const { breaks, suite } of mutations) {
      expect(breaks).toMatch(/^\S.{20,}/)
      expect(['quick', 'test', 'campaign']).toContain(suite)
    }
    for (const { reason } of survivors) expect(reason).toMatch(/^\S.{40,}/)
  })

  test('reaches every product, and the money and the access in `npm test`', () => {
    const reached = new Set(mutations.map(({ file }) => /^(src\/)?[^/]+/.exec(file)![0]))
    const products = [
      'account',
      'cloud',
      'core',
      'media',
      'platform',
      'providers',
      'sandbox',
      'sites',
      'text',
      'voice',
      'work',
    ]
    const wanted = ['migrations', ...products.map((product) => `src/${product}`)]
    expect([...reached].sort()).toEqual(wanted)
    expect(picked.filter(({ suite }) => suite === 'campaign')).toEqual([])
  })
})

test('a text that stands nowhere, or twice, or is changed into itself, is no mutation', () => {
  expect(rotten({ find: 'a', replace: 'b' }, 'xax')).toBeUndefined()
  expect(rotten({ find: 'a', replace: 'b' }, 'xx')).toMatch('0 times')
  expect(rotten({ find: 'a', replace: 'b' }, 'aa')).toMatch('2 times')
  expect(rotten({ find: 'a', replace: 'a' }, 'xax')).toMatch('nothing')
  // What is special to `replace` is text like any other.
  expect(mutated({ file: 'x', find: 'a', replace: '$&$1' }, 'xax')).toBe('x$&$1x')
  expect(() => mutated({ file: 'x', find: 'a', replace: 'b' }, 'aa')).toThrow('2 times')
})

describe('of a test file that ran', () => {
  const ran = (
    states: Record<string, string | undefined>,
    outside: { module?: string; suite?: string } = {},
  ) => {
    const tests = Object.entries(states).map(([fullName, message]) => ({
      fullName,
      result: () =>
        message === undefined ? { state: 'passed' } : { state: 'failed', errors: [{ message }] },
    }))
    const errorsOf = (message: string | undefined) => () => (message === undefined ? [] : [{ message }])
    const module: RanModule = {
      errors: errorsOf(outside.module),
      children: { allTests: () => tests, allSuites: () => [{ errors: errorsOf(outside.suite) }] },
    }
    return outcomeOf([module], [])
  }
  const unfit = { kind: 'unfit' }

  test('a failed test makes it red, and none makes it green', () => {
    expect(ran({ one: undefined, two: 'expected 1 to be 2' })).toEqual({ kind: 'red', by: 'two' })
    expect(ran({ one: undefined })).toEqual({ kind: 'green' })
  })

  test('what fails outside of tests, a file without any, and time that ran out prove nothing', () => {
    expect(ran({}, { module: 'Transform failed with 1 error' })).toMatchObject(unfit)
    expect(ran({ one: undefined }, { suite: 'beforeAll failed' })).toMatchObject(unfit)
    expect(ran({})).toMatchObject(unfit)
    expect(ran({ one: 'Test timed out in 180000ms.' })).toMatchObject(unfit)
    expect(outcomeOf([], [new Error('a rejection that nobody handled')])).toMatchObject(unfit)
  })
})

describe('the mutator', () => {
  const changes = (code: string): string[] =>
    candidatesOf(code).map(({ start, end, text }) => code.slice(0, start) + text + code.slice(end))

  test.each<[string, string, string[]]>([
    ['a comparison', 'f(a < b)', ['f(a <= b)']],
    ['an equality', 'f(a === b)', ['f(a !== b)']],
    ['a logical expression, in brackets', 'f(a || b && c)', ['f((a && b && c))', 'f(a || (b || c))']],
    ['a condition', 'if (a) f()', ['if (!(a)) f()']],
    ['a choice', 'f(a ? b : c)', ['f(!(a) ? b : c)']],
    ['a number, by one in both directions', 'f(1_000)', ['f(1001)', 'f(999)']],
    ['a zero, upwards alone', 'f(0n)', ['f(1n)']],
    ['a truth value', 'f(true)', ['f(false)']],
    ['a statement that waits', 'async () => { await f() }', ['async () => { ; }']],
    ['a throw', '() => { throw a }', ['() => { ; }']],
    ['neither types, imports, texts nor fractions', `import a from '1'; type B = 1; f('1', 1.5 as 2)`, []],
  ])('changes %s', (_name, code, expected) => {
    expect(changes(code)).toEqual(expected)
  })

  test('draws the same by the same seed, and texts that stand once in their file', () => {
    const line = 'if (a < 1) throw b\n'
    const sources = [
      { file: 'twice.ts', code: `${line}f()\n${line}` },
      { file: 'plain.ts', code: 'f(true)\n' },
      { file: 'nothing.ts', code: 'f()\n' },
    ]
    const drawn = draw(sources, 7, 6)
    expect(draw(sources, 7, 6)).toEqual(drawn)
    expect(draw(sources, 8, 6)).not.toEqual(drawn)
    expect(new Set(drawn.map(({ file }) => file))).toEqual(new Set(['twice.ts', 'plain.ts']))
    for (const mutation of drawn) {
      const { code } = sources.find(({ file }) => file === mutation.file)!
      expect(rotten(mutation, code)).toBeUndefined()
    }
  })
})
