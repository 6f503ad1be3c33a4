/** `kherad cloud users`: the real command against a real server. */
import { expect, test } from 'vitest'
import { newAddress, newClient, password } from '../cloud/users/app.ts'
import { boot } from '../harness/world.ts'
import { kherad, type Ran } from './command-line.ts'

test('users are listed, blocked, unblocked, given a link and deleted, by id and by address', async () => {
  await using world = await boot()
  const cloud = await world.cloud('app')
  const [one, other] = [newAddress(), newAddress()]
  const { data } = await newClient(cloud).auth.signUp({ email: one, password })
  await newClient(cloud).auth.signUp({ email: other, password })
  const env = { KHERAD_KEY: cloud.client.secret, KHERAD_LOCALE: 'en', KHERAD_BASE_URL: world.url }
  const run = (...words: string[]): Promise<Ran> => kherad(env, 'cloud', 'users', ...words)
  const listed = await run('list', 'app', '--json')
  expect(listed.json.map(({ email }: { email: string }) => email).sort()).toEqual([one, other].sort())
  expect((await run('list', 'app')).out).toContain('confirmed')
  expect((await run('block', 'app', data.user!.id)).out).toBe('The user is blocked.\n')
  expect((await run('list', cloud.ref)).out).toContain('blocked')
  expect((await newClient(cloud).auth.signInWithPassword({ email: one, password })).error?.code).toBe(
    'user_banned',
  )
  expect((await run('unblock', 'app', one)).out).toBe('The user may sign in again.\n')
  const link = await run('link', 'app', one.toUpperCase())
  expect(link.out).toBe(`${link.out.trim()}\n`)
  expect(link.out).toContain(`/app-links/${cloud.ref}/`)
  expect(link.err).toBe('Whoever has this link gets into the account; it acts once.\n')
  expect((await run('link', 'app', one, '--type', 'admin')).code).toBe(2)
  expect((await run('link', 'app', one, '--to', 'https://evil.example')).code).toBe(1)
  expect((await run('delete', 'app', one)).out).toBe('The user is deleted.\n')
  const gone = await run('delete', 'app', one)
  expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('There is no user')])
})

test('settings of sign-in are shown, and a change of one keeps the others', async () => {
  await using world = await boot()
  const cloud = await world.cloud('app')
  const env = { KHERAD_KEY: cloud.client.secret, KHERAD_LOCALE: 'en', KHERAD_BASE_URL: world.url }
  const run = (...words: string[]): Promise<Ran> => kherad(env, 'cloud', 'auth', 'app', ...words)
  const early = await run('--signup', 'closed')
  expect([early.code, early.err]).toEqual([2, expect.stringContaining('--site-url')])
  for (const wrong of [
    ['--signup', 'shut'],
    ['--anonymous', 'yes'],
  ])
    expect((await run(...wrong)).code).toBe(2)
  const site = 'https://app.example.com/'
  const first = await run(
    '--site-url',
    site,
    '--signup',
    'closed',
    '--redirect-url',
    'http://localhost:5173/',
  )
  expect(first.out).toContain('closed')
  expect((await run('--anonymous', 'on', '--json')).json).toMatchObject({
    ...{ disable_signup: true, anonymous_sign_ins: true },
  })
  const second = await run('--site-url', 'https://new.example.com/', '--json')
  expect(second.json).toMatchObject({
    site_url: 'https://new.example.com/',
    disable_signup: true,
    anonymous_sign_ins: true,
    additional_redirect_urls: ['http://localhost:5173/'],
  })
  expect((await run('--signup', 'open', '--json')).json).toMatchObject({
    site_url: 'https://new.example.com/',
    disable_signup: false,
  })
  expect((await run()).out).toContain('https://new.example.com/')
})
