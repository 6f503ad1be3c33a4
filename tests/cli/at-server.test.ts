/** Commands at a running server with a management key, and every command of the guide to accounts that programs run. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { newManagementKey } from '../harness/session.ts'
import { sharedWorld } from '../harness/shared-world.ts'
import type { World } from '../harness/world.ts'
import { done, ended, kherad, refused, start } from './command-line.ts'

const run = promisify(execFile)
let world: World
let key: Client
let env: Record<string, string>
beforeAll(async () => {
  world = await sharedWorld()
  key = await newManagementKey(world, { keyScopes: ['models:read', 'responses:write'] })
  // A database that is not there: whatever worked on it would fail.
  env = {
    KHERAD_KEY: key.secret,
    KHERAD_BASE_URL: world.url,
    KHERAD_LOCALE: 'en',
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  }
})
afterAll(() => world[Symbol.asyncDispose]())

/** The lines of shell in the guide, each a command. */
async function commandsOf(guide: string): Promise<string[]> {
  const text = await readFile(new URL(`../../docs/guides/account/${guide}`, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!.replaceAll('\\\n', ''))
  return blocks.flatMap((block) => block.split('\n')).filter((line) => /^(npx kherad|curl) /.test(line))
}

/** The words of a line as a shell reads them. */
const wordsOf = (line: string, values: Record<string, string>): string[] =>
  [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, plain, quoted, bare]) =>
      plain ?? (quoted ?? bare!).replace(/\$(\w+)/g, (_match, name: string) => values[name] ?? `no ${name}`),
  )

test.each(['programs.md', 'programs.fa.md'])('every command of %s works as it is written', async (guide) => {
  const lines = await commandsOf(guide)
  expect(lines).toHaveLength(14)
  const values: Record<string, string> = {
    SERVER: world.url,
    PROJECT: world.project,
    KHERAD_KEY: key.secret,
    KEY: '',
  }
  for (const line of lines) {
    const words = wordsOf(line, values)
    if (words[0] === 'curl') {
      const { stdout } = await run('curl', ['-sS', ...words.slice(1)])
      expect(JSON.parse(stdout), line).not.toHaveProperty('error')
      continue
    }
    const document = await done(env, ...words.slice(2))
    if (words.includes('create') && words.includes('key')) values['KEY'] = document.id
    const shown =
      words.includes('create') || words.includes('revoke') ? undefined : await kherad(env, ...words.slice(2))
    if (shown) expect([line, shown.code, shown.err]).toEqual([line, 0, ''])
  }
})

test('answers are in the language of the person, and refusals in the words of the server', async () => {
  const shown = await kherad({ ...env, KHERAD_LOCALE: 'fa' }, 'account', 'show')
  expect(shown.out).toContain('موجودی')
  expect(shown.out).toContain(world.account)
  const beyond = await refused(
    env,
    'key',
    'create',
    '--name',
    'k',
    '--scopes',
    'studio:write',
    '--project',
    world.project,
  )
  expect([beyond.exit, beyond.code]).toEqual([1, 'KEY_SCOPE_NOT_GIVEN'])
  const bare = await refused(env, 'key', 'create', '--name', 'k')
  expect([bare.exit, bare.code]).toEqual([2, 'USAGE'])
  const fraction = await refused(env, 'project', 'set', world.project, '--cap', '1.5')
  expect([fraction.exit, fraction.code]).toEqual([2, 'USAGE'])
  const foreign = await refused(env, 'audit', 'list', '--account', world.account)
  expect([foreign.exit, foreign.code]).toEqual([2, 'USAGE'])
})

test('months of usage are those of the language, or of the calendar that is named', async () => {
  const monthsOf = async (locale: string, ...words: string[]) => {
    const range = ['--from', '2026-10-01', '--to', '2026-11-30']
    const usage = await done(
      { ...env, KHERAD_LOCALE: locale },
      'usage',
      '--interval',
      'month',
      ...range,
      ...words,
    )
    return usage.calendar
  }
  expect([await monthsOf('en'), await monthsOf('fa')]).toEqual(['gregorian', 'jalali'])
  expect(await monthsOf('en', '--calendar', 'jalali')).toBe('jalali')
  expect(await monthsOf('fa', '--calendar', 'gregorian')).toBe('gregorian')
  const wrong = await refused(env, 'usage', '--calendar', 'lunar')
  expect([wrong.exit, wrong.code]).toEqual([1, 'INVALID_REQUEST'])
  for (const [locale, about] of [
    ['en', 'whose months are meant'],
    ['fa', 'تقویم ماه‌ها'],
  ] as const) {
    const help = await kherad({ ...env, KHERAD_LOCALE: locale }, 'usage', '--help')
    expect([help.out.includes('--calendar jalali|gregorian'), help.out.includes(about)]).toEqual([true, true])
  }
})

test('the key comes from the environment, a file or the input, and the database is meant where no server is', async () => {
  const { KHERAD_KEY: secret, ...bare } = env
  const typed = start(bare, ['balance', '--key', '-', '--json'], { input: [`${secret}\n`] })
  const read = await ended(typed, ['--json'])
  expect([read.code, read.err, read.json.shared_balance]).toEqual([0, '', true])
  const atDatabase = await refused({ ...bare, KHERAD_KEY: (await world.key()).secret }, 'project', 'list')
  expect(atDatabase.code).not.toBe('INVALID_API_KEY')
  const none = await refused(bare, 'balance')
  expect([none.exit, none.code]).toEqual([2, 'USAGE'])
})
