import { describe, expect, test } from 'vitest'
import { isVersionMet, readImport } from './packages.ts'

describe('spellings of imports', () => {
  test.each([
    ['zod', 'zod', '', undefined],
    ['zod@4', 'zod', '', '4'],
    ['hono/cors', 'hono', 'cors', undefined],
    ['npm:hono@4.1.0/jsx/dom', 'hono', 'jsx/dom', '4.1.0'],
    ['npm:/zod@^4', 'zod', '', '^4'],
    ['npm:@supabase/supabase-js@2', '@supabase/supabase-js', '', '2'],
    ['jsr:@supabase/supabase-js@2/cors', '@supabase/supabase-js', 'cors', '2'],
    ['jsr:@hono/hono@4/cors', 'hono', 'cors', '4'],
    ['jsr:@zod/zod', 'zod', '', undefined],
    ['https://esm.sh/zod', 'zod', '', undefined],
    ['https://esm.sh/v135/hono@4/cors?target=deno&bundle', 'hono', 'cors', '4'],
    ['https://esm.sh/jsr/@hono/hono@4', 'hono', '', '4'],
  ])('%s is allowed', (specifier, name, part, requested) => {
    expect(readImport(specifier)).toEqual({ kind: 'package', name, part, requested })
  })

  test.each([
    ['node:crypto', 'node:crypto'],
    ['node:fs/promises', 'node:fs/promises'],
    ['crypto', 'node:crypto'],
    ['path/posix', 'node:path/posix'],
  ])('%s is a module of the runtime', (specifier, name) => {
    expect(readImport(specifier)).toEqual({ kind: 'builtin', specifier: name })
  })

  test('a package of the operator comes before a module of the same name', () => {
    expect(readImport('events', ['events'])).toMatchObject({ kind: 'package', name: 'events' })
  })

  test.each([
    ['lodash', 'other'],
    ['npm:lodash', 'other'],
    ['zodd', 'other'],
    ['@hono/hono', 'other'],
    ['constructor', 'other'],
    ['zod/../hono', 'other'],
    ['zod/./x', 'other'],
    ['zod//x', 'other'],
    ['', 'other'],
    ['node:child_process', 'node'],
    ['node:nope', 'node'],
    ['npm:fs', 'other'],
    ['child_process', 'other'],
    ['./x.js', 'file'],
    ['/etc/passwd', 'file'],
    ['#app', 'file'],
    ['\\\\host\\share', 'file'],
    ['data:text/javascript,1', 'url'],
    ['file:///etc/passwd', 'url'],
    ['https://esm.sh/lodash', 'url'],
    ['https://esm.sh/zod?deps=x@1', 'url'],
    ['https://esm.sh.evil.example/zod', 'url'],
    ['http://esm.sh/zod', 'url'],
    ['jsr:@supabase/functions-js/edge-runtime.d.ts', 'types'],
    ['jsr:@supabase/functions-js@2.4.1/edge-runtime.d.ts', 'types'],
    ['npm:@supabase/functions-js', 'other'],
  ])('%j is not: %s', (specifier, kind) => {
    expect(readImport(specifier)).toEqual({ kind })
  })
})

test.each([
  [undefined, true],
  ['', true],
  ['latest', true],
  ['*', true],
  ['2', true],
  ['^2.0.0', true],
  ['~2.39', true],
  ['2.x', true],
  ['>=2.1.0', true],
  ['v2.39.3', true],
  ['2.119.1', true],
  ['2.119.2', false],
  ['2.120', false],
  ['1', false],
  ['3', false],
  ['next', false],
  ['2 || 3', false],
  ['9'.repeat(100_000), false],
])('version %j is met by 2.119.1: %s', (requested, met) => {
  expect(isVersionMet(requested, '2.119.1')).toBe(met)
})
