/** `kherad site`: the real command against a real server. */
import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Client } from '../harness/client.ts'
import { boot, type World } from '../harness/world.ts'
import { kherad, type Ran } from './command-line.ts'

let world: World
let key: Client
let folder: string
beforeAll(async () => {
  world = await boot({ config: 'sites: { sites_per_project: 100 }' })
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(async () => {
  key = await world.key({ project: await world.newProject() })
  folder = await mkdtemp(path.join(tmpdir(), 'kherad-cli-site-'))
  return () => rm(folder, { recursive: true, force: true })
})

const run = (words: readonly string[], locale: 'fa' | 'en' = 'en'): Promise<Ran> =>
  kherad({ KHERAD_KEY: key.secret, KHERAD_LOCALE: locale, KHERAD_BASE_URL: world.url }, ...words)

async function write(files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true })
    await writeFile(path.join(folder, name), text)
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
const publish = (...more: string[]) => run(['site', 'publish', folder, '--public', ...more])
const refusal = async (ran: Promise<Ran>) => {
  const { code, out, err } = await ran
  expect(out).toBe('')
  return { exit: code, said: err }
}

const page = '<!doctype html><title>کافه</title>'

test('a folder is published with one command, which prints the address and nothing else', async () => {
  await write({
    'index.html': page,
    'assets/برگ.css': 'p{}',
    '.well-known/security.txt': 'x',
    '.git/config': 's',
  })
  const { code, out, err } = await run(['site', 'publish', folder, '--public', '--name', 'کافهٔ ما'], 'fa')
  expect([code, out], err).toEqual([0, expect.stringMatching(/^http:\/\/kafh-ma\.localhost:\d+\n$/)])
  expect(err).toBe(
    'کنار گذاشته شد: .git\n۳ از ۳ فایل فرستاده می‌شود (۱ کیلوبایت)\n«کافهٔ ما» نسخهٔ ۱ · ۳ فایل، ۱ کیلوبایت\n',
  )
  const [site] = (await key.get('/v1/sites')).body.data
  const { data } = (await key.get(`/v1/sites/${site.id}/files`)).body
  expect(data.map((file: { path: string; sha256: string }) => [file.path, file.sha256]).toSorted()).toEqual([
    ['.well-known/security.txt', hashOf('x')],
    ['assets/برگ.css'.normalize('NFC'), hashOf('p{}')],
    ['index.html', hashOf(page)],
  ])
})

test('the second time the same site is updated, and only what changed is sent', async () => {
  await write({ 'index.html': page, 'a.js': 'a', 'b.js': 'b' })
  expect((await publish('--name', 'Twice')).code).toBe(0)
  await write({ 'index.html': `${page}<p>2`, 'copy.js': 'a' })
  const { code, err, json } = await publish('--name', 'Twice', '--json')
  expect([code, err]).toEqual([0, ''])
  expect(json).toMatchObject({ name: 'Twice', version: 2, status: 'ready', files: 4 })
  const { err: said } = await publish('--site', 'twice', '--slug', 'twice')
  expect(said).toBe('sending 0 of 4 files (0 kB)\n"Twice" version 3 · 4 files, 1 kB\n')
  await write({ 'a.js': 'other' })
  expect((await publish('--site', json.id)).err).toContain('sending 1 of 4 files')
  expect((await key.get('/v1/sites')).body.data).toHaveLength(1)
  const { data } = (await key.get(`/v1/sites/${json.id}/files`)).body
  expect(data.find((file: { path: string }) => file.path === 'a.js').sha256).toBe(hashOf('other'))
})

test('with --cloud a site belongs to the app back-end of that name, and nothing is published for one that is not there', async () => {
  const cloud = await world.cloud('bazaar', key)
  await write({ 'index.html': page })
  const missing = await refusal(publish('--name', 'Bazaar', '--cloud', 'bazar'))
  expect(missing).toEqual({ exit: 1, said: expect.stringContaining('"bazar"') })
  expect((await key.get('/v1/sites')).body.data).toEqual([])
  const { code, json } = await publish('--name', 'Bazaar', '--cloud', 'bazaar', '--json')
  expect([code, json]).toEqual([0, expect.objectContaining({ cloud_id: cloud.id })])
})

test('nothing is published without being asked for, and no folder that is none of a website', async () => {
  await write({ 'index.html': page })
  const unasked = await refusal(run(['site', 'publish', folder, '--name', 'x']))
  expect(unasked).toEqual({ exit: 2, said: expect.stringContaining('--public') })
  expect(await refusal(publish())).toMatchObject({ exit: 2, said: expect.stringContaining('--name') })
  expect(
    await refusal(run(['site', 'publish', path.join(folder, 'no'), '--public', '--name', 'x'])),
  ).toMatchObject({
    exit: 1,
    said: expect.stringContaining('is no folder'),
  })
  await symlink('/etc/hostname', path.join(folder, 'secret.txt'))
  expect(await refusal(publish('--name', 'x'))).toMatchObject({
    exit: 1,
    said: expect.stringContaining('secret.txt'),
  })
  await rm(path.join(folder, 'secret.txt'))
  await write({ 'node_modules/a/index.js': '' })
  expect((await refusal(publish('--name', 'x'))).said).toContain('node_modules')
  await rm(path.join(folder, 'index.html'))
  await rm(path.join(folder, 'node_modules'), { recursive: true })
  expect((await refusal(publish('--name', 'x'))).said).toContain('index.html')
  expect((await key.get('/v1/sites')).body.data).toEqual([])
})

test('what the server refuses is said in its words, with the file that is wrong', async () => {
  await write({ 'index.html': page, 'a%20b.html': '' })
  const { exit, said } = await refusal(publish('--name', 'x'))
  expect(exit).toBe(1)
  expect(said).toContain('a%20b.html')
})

test('sites are listed, shown with their versions, taken back and deleted', async () => {
  await write({ 'index.html': '1' })
  await publish('--name', 'Back')
  await write({ 'index.html': '2' })
  await publish('--name', 'Back')
  expect((await run(['site', 'list'])).out).toMatch(
    /^ID +NAME +STATE +ADDRESS\n[0-9a-f-]{36} +Back +ready +http/,
  )
  const shown = await run(['site', 'show', 'back'], 'fa')
  expect(shown.out).toMatch(/نسخه.*\n.*۲.*آماده \(در دسترس\).*\n.*۱.*آماده/)
  const back = await run(['site', 'rollback', 'Back'])
  expect([back.code, back.err]).toEqual([0, 'Version 1 is live.\n'])
  expect((await run(['site', 'rollback', 'back', '--to', '۲'], 'fa')).err).toBe('نسخهٔ ۲ در دسترس است.\n')
  expect((await refusal(run(['site', 'rollback', 'back', '--to', '9']))).exit).toBe(1)
  expect((await refusal(run(['site', 'delete', 'back', '--confirm', 'back']))).exit).toBe(1)
  expect((await run(['site', 'delete', 'back', '--confirm', 'Back'])).out).toBe('"Back" is deleted.\n')
  expect((await refusal(run(['site', 'show', 'back']))).said).toContain('kherad site list')
})

test('a list of more sites than one page has is shown whole', async () => {
  await write({ 'index.html': page })
  await publish('--name', 'first')
  const [{ id }] = (await key.get('/v1/sites')).body.data
  await world.app.db.query(
    {
      text: `with copies as (select gen_random_uuid() as site_id, 'copy-' || nth as slug, 'copy-' || nth as preview from generate_series(1, 100) nth),
          made as (insert into sites.sites select (jsonb_populate_record(s, to_jsonb(c))).* from sites.sites s, copies c where s.site_id = $1)
        insert into sites.versions select (jsonb_populate_record(v, to_jsonb(c))).* from sites.versions v, copies c where v.site_id = $1`,
    },
    [id],
  )
  const { code, json, err } = await run(['site', 'list', '--json'])
  expect(code, err).toBe(0)
  expect(new Set(json.map(({ slug }: { slug: string }) => slug)).size).toBe(101)
})

test('an app stays one in its next versions, until --no-spa', async () => {
  await write({ 'index.html': page })
  const spaAfter = async (...more: string[]) => (await publish('--name', 'App', '--json', ...more)).json.spa
  expect(await spaAfter()).toBe(false)
  expect(await spaAfter('--spa')).toBe(true)
  expect(await spaAfter()).toBe(true)
  expect(await spaAfter('--no-spa')).toBe(false)
  expect(await spaAfter()).toBe(false)
  const { exit, said } = await refusal(publish('--name', 'App', '--spa', '--no-spa'))
  expect([exit, said]).toEqual([2, expect.stringContaining('--no-spa')])
})

test('a domain is claimed, and shown with the record that proves it', async () => {
  await write({ 'index.html': page })
  await publish('--name', 'Shop')
  const claimed = await run(['site', 'domain', 'shop', 'فروشگاه.ایران'], 'fa')
  expect(claimed.out).toMatch(
    /^فروشگاه\.ایران: در انتظار اثبات\n.*\n {2}_kherad\.xn--\S+ {2}TXT {2}"kherad-site=[0-9a-f]{40}"\n/,
  )
  // Without a domain of sites there is no name for a CNAME: that of a machine itself leads nobody here.
  expect(claimed.out).toContain('رکورد نشانی (A یا AAAA) به همین سرور')
  expect(claimed.out).not.toMatch(/localhost|CNAME/)
  expect((await run(['site', 'domain', 'shop'])).out).toContain('not proven yet')
  expect((await refusal(run(['site', 'domain', 'shop', '--check']))).exit).toBe(2)
  expect((await run(['site', 'domain', 'shop', 'فروشگاه.ایران', '--remove'])).out).toContain('is removed')
  expect((await run(['site', 'domain', 'shop', '--json'])).json).toEqual([])
})
