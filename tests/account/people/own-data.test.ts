/** A person's own data: the export of it, and the deletion of people and accounts, with thirty days to undo. */
import { createHash, randomUUID } from 'node:crypto'
import { unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginAccountDeletion, deletion, keptTables } from '#account/deletion'
import { exportsOfPeople } from '#account/exports'
import { files } from '#account/files'
import { type Role, removeMember, setMember } from '#account/people'
import { createAccount, createProject, setAccountState } from '#platform/auth'
import { grant, holdInTx, settleHoldInTx } from '#platform/ledger'
import {
  refreshConnection,
  releaseConnection,
  type TakenConnection,
} from '../../../src/account/webhooks/delivery/store.ts'
import { Client } from '../../harness/client.ts'
import { until } from '../../harness/until.ts'
import { write } from '../../work/talk/talks.ts'
import { Scene, type Visitor } from '../sign-in/scene.ts'
import { insertRows, tablesOfAccounts } from './every-table.ts'
import { codeOf } from './people.ts'

const dayMs = 24 * 60 * 60_000
let scene: Scene
beforeAll(async () => {
  scene = await Scene.open()
})
afterAll(() => scene[Symbol.asyncDispose]())

const now = (): Date => new Date(scene.clock.nowMs())
const query = <Row>(text: string, values: unknown[] = []) => scene.world.app.db.query<Row>({ text }, values)

interface Somebody {
  browser: Visitor
  personId: string
  email: string
}

/** A person with an account and a project of their own, who is signed in. */
async function somebody(name = 'سارا'): Promise<Somebody & { account: string; project: string }> {
  const email = `${randomUUID()}@example.org`
  const { personId } = await scene.known(email)
  const { db } = scene.world.app
  const place = await db.tx(async (tx) => {
    const account = await createAccount(tx, { name: `حساب ${name}` }, now())
    const project = await createProject(tx, { accountId: account.account_id, name: 'کار / خانه' }, now())
    const transferId = randomUUID()
    await grant(
      tx,
      { accountId: account.account_id, transferId, microcredits: 9_000_000n, reason: 'test' },
      now(),
    )
    return { account: account.account_id, project: project.project_id }
  })
  await join(place.account, personId, 'owner')
  const browser = await signedIn(email, place.project)
  return { browser, personId, email, ...place }
}

const join = (accountId: string, personId: string, role: Role, projectIds: string[] | null = null) =>
  scene.world.app.db.tx((tx) => setMember(tx, { accountId, personId, role, projectIds }, now()))

async function signedIn(email: string, project: string): Promise<Visitor> {
  const browser = scene.browser()
  const reply = await browser.signIn(email)
  expect(reply.status, reply.text).toBe(200)
  browser.project = project
  return browser
}

/** Somebody else who is a member of the account. */
async function colleague(account: string, project: string, role: Role): Promise<Somebody> {
  const email = `${randomUUID()}@example.org`
  const { personId } = await scene.known(email)
  await join(account, personId, role)
  return { personId, email, browser: await signedIn(email, project) }
}

const remove = (browser: Visitor, path: string, body?: unknown) =>
  browser.request('DELETE', path, body === undefined ? undefined : JSON.stringify(body))

/** Runs a recurring job now. */
async function sweep(name: 'deletion.sweep' | 'exports.sweep' | 'files.tidy'): Promise<void> {
  const job = [...deletion.jobs, ...exportsOfPeople.jobs, ...files.jobs].find((one) => one.name === name)!
  const stop = new AbortController().signal
  await job.handle({ app: scene.world.app, signal: stop, stopping: stop } as never)
}

/** Resolves once a mail to the address has come that says this. */
const mailed = (email: string, words: string) =>
  until(() => scene.mails.to(email).some(({ text }) => text.includes(words)))

/** Runs the job that deletes an account, until it ends or waits; answers for how long it waits. */
function erase(accountId: string): Promise<unknown> {
  const job = deletion.jobs.find(({ name }) => name === 'deletion.erase')!
  const stopping = new AbortController().signal
  const progressed = async () => {}
  return job.handle({ app: scene.world.app, data: { accountId }, stopping, progressed } as never)
}

/** Begins a paid call of the account; what it answers ends the call, which has failed and costs nothing. */
async function paidCall(accountId: string, projectId: string): Promise<() => Promise<unknown>> {
  const { db } = scene.world.app
  const [key] = await query<{ id: string }>(
    'select key_id as id from auth.keys where account_id = $1 and project_id = $2',
    [accountId, projectId],
  )
  const receiptId = randomUUID()
  const hold = {
    ...{ payer: { accountId, projectId, keyId: key!.id }, receiptId, endpoint: '/v1/videos' },
    ...{ microcredits: 1_000n, accepted: { statusCode: 202 } },
  }
  await db.tx((tx) => holdInTx(tx, hold, now()))
  const end = { state: 'failed' as const, statusCode: 502, microcredits: 0n, thresholdsPercent: [] }
  return () => db.tx((tx) => settleHoldInTx(tx, { ...end, accountId, receiptId }, now()))
}

const program = (secret: string): Client => new Client(scene.world.url, secret, '')

async function upload(browser: Visitor, name: string, bytes: string): Promise<string> {
  const reply = await browser.post('/v1/files', {
    name,
    media_type: 'text/plain',
    data: Buffer.from(bytes).toString('base64'),
  })
  expect(reply.status, reply.text).toBeLessThan(300)
  return reply.body.id
}

const ready = (browser: Visitor, id: string) =>
  until(async () => {
    const { body } = await browser.get(`/v1/me/exports/${id}`)
    return body.state === 'ready' && body
  })

test('an export has what the API shows of a person, files under safe names, and no secret; it is there for a day to the second', async () => {
  const sara = await somebody()
  const { browser } = sara
  const requests: string[] = []
  for (const text of ['یک', 'دو', 'سه']) {
    const reply = await browser.post('/v1/chat/completions', {
      model: 'sandbox/fast',
      max_tokens: 20,
      messages: [{ role: 'user', content: text }],
    })
    expect(reply.status, reply.text).toBe(200)
    requests.push(reply.headers.get('x-request-id')!)
  }
  await scene.world.settled()
  const names = ['گزارش: پاییز.txt', 'نامه.txt', 'نامه.txt', 'CON.txt']
  for (const [at, name] of names.entries()) await upload(browser, name, `متن ${at}`)
  const key = await browser.post('/v1/keys', { name: 'program', scopes: ['models:read'] })
  await query('insert into people.phones (number, person_id, proven_at) values ($1, $2, now())', [
    '+989120000017',
    sara.personId,
  ])
  // What was made in an account or a project that the person has left, or may no longer read, is not theirs.
  const { db } = scene.world.app
  const left = await somebody('دیگران')
  const partly = await somebody('همکاران')
  const books = await somebody('دفتر')
  const { project_id: staying } = await db.tx((tx) =>
    createProject(tx, { accountId: partly.account, name: 'طرح' }, now()),
  )
  for (const { account } of [left, partly, books]) await join(account, sara.personId, 'developer')
  const elsewhere = await signedIn(sara.email, left.project)
  for (const { project } of [left, partly, books]) {
    elsewhere.project = project
    await upload(elsewhere, 'محرمانه.txt', 'راز شرکت')
  }
  elsewhere.project = staying
  await upload(elsewhere, 'برنامه.txt', 'برنامه')
  const { world } = scene
  const talk = await write({ world, accountId: sara.account, person: sara, question: 'حالم را بپرس' })
  await write({
    world,
    accountId: left.account,
    person: { ...sara, project: left.project },
    question: 'راز شرکت',
  })
  await db.tx((tx) => removeMember(tx, left.account, sara.personId, now()))
  await join(partly.account, sara.personId, 'developer', [staying])
  await join(books.account, sara.personId, 'billing')
  const manager = await browser.post('/v1/management-keys', {
    name: 'books',
    permissions: ['usage:read'],
    expires_at: new Date(scene.clock.nowMs() + dayMs).toISOString(),
  })
  expect(manager.status, manager.text).toBe(201)

  const asked = await browser.post('/v1/me/exports', {})
  expect(asked.status, asked.text).toBe(202)
  const done = await ready(browser, asked.body.id)
  expect(Date.parse(done.expires_at) - Date.parse(done.finished_at)).toBe(dayMs)
  await mailed(sara.email, '/profile?tab=data')

  const reply = await browser.raw('GET', `/v1/me/exports/${asked.body.id}/content`)
  expect(reply.headers.get('content-type')).toBe('application/zip')
  const bytes = new Uint8Array(await reply.arrayBuffer())
  expect(bytes.length).toBe(done.bytes)
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(done.sha256)
  const zip = unzipSync(bytes)
  const text = (path: string) => Buffer.from(zip[path]!).toString()
  const json = (path: string) => JSON.parse(text(path))

  const shown = await Promise.all(requests.map(async (id) => (await browser.get(`/v1/requests/${id}`)).body))
  const receipts = json('requests.json')
  for (const one of shown)
    expect(receipts).toContainEqual(
      expect.objectContaining({ id: one.id, microcredits: one.microcredits, model: one.model }),
    )
  expect(receipts).toHaveLength(json('summary.json').counts.requests)
  expect(receipts.filter(({ microcredits }: { microcredits: string }) => microcredits !== '0')).toHaveLength(
    3,
  )
  expect(json('conversations.json')).toMatchObject([{ id: talk.conversationId, title: 'حالم را بپرس' }])
  const messages: { id: string; parts: { text: string }[] }[] = json('messages.json')
  const texts = new Map(messages.map(({ id, parts }) => [id, parts.map((part) => part.text)]))
  expect(texts).toEqual(
    new Map([
      [talk.questionId, ['حالم را بپرس']],
      [talk.answerId, ['چشم']],
    ]),
  )
  const manifest: { path: string; account_id: string; sha256: string }[] = json('files.json')
  expect(manifest.filter(({ account_id: id }) => id !== sara.account)).toMatchObject([
    { path: 'files/طرح/برنامه.txt', account_id: partly.account, project_id: staying },
  ])
  const listed = manifest.filter(({ account_id: id }) => id === sara.account)
  expect(listed.map(({ path }) => path)).toEqual([
    'files/کار خانه/گزارش پاییز.txt',
    'files/کار خانه/نامه.txt',
    'files/کار خانه/نامه (2).txt',
    'files/کار خانه/_CON.txt',
  ])
  for (const [at, file] of listed.entries()) {
    expect(text(file.path)).toBe(`متن ${at}`)
    expect(createHash('sha256').update(zip[file.path]!).digest('hex')).toBe(file.sha256)
  }
  const me = (await browser.get('/v1/me')).body
  expect(json('profile.json')).toMatchObject({
    ...{ id: me.id, display_name: me.display_name, has_password: true },
    addresses: [{ email: sara.email, is_primary: true }],
    phone: { number: '+989120000017' },
  })
  const accounts = [
    { account_id: sara.account, role: 'owner', project_ids: null },
    { account_id: partly.account, role: 'developer', project_ids: [staying] },
    { account_id: books.account, role: 'billing', project_ids: null },
  ]
  expect(json('accounts.json')).toHaveLength(accounts.length)
  for (const one of accounts) expect(json('accounts.json')).toContainEqual(expect.objectContaining(one))
  expect(json('keys.json')).toContainEqual(expect.objectContaining({ id: key.body.id, kind: 'api' }))
  expect(json('keys.json')).toContainEqual(
    expect.objectContaining({ id: manager.body.id, kind: 'management', permissions: ['usage:read'] }),
  )
  expect(json('audit.json')).toContainEqual(expect.objectContaining({ operation: 'keys.create' }))
  expect(json('mails.json')).toMatchObject([{ kind: 'new_device' }, { kind: 'management_key_made' }])
  expect(json('texts.json')).toEqual([])
  const [secrets] = await query<{ password_hash: string; hash: string }>(
    `select p.password_hash, encode(s.hash, 'hex') as hash from people.people p join people.sessions s using (person_id)
      where person_id = $1`,
    [sara.personId],
  )
  const everything = Object.keys(zip).map(text).join('\n')
  for (const secret of [
    secrets!.password_hash,
    secrets!.hash,
    key.body.secret,
    manager.body.secret,
    browser.session!,
    'راز شرکت',
  ])
    expect(everything.includes(secret)).toBe(false)

  const part = await browser.raw('GET', `/v1/me/exports/${asked.body.id}/content`, undefined, {
    range: 'bytes=0-3',
  })
  expect([part.status, Buffer.from(await part.arrayBuffer()).toString()]).toEqual([206, 'PK\u0003\u0004'])
  const [stored] = await query<{ storage_key: string }>(
    'select storage_key from people.exports where export_id = $1',
    [asked.body.id],
  )
  const stranger = await somebody('غریبه')
  for (const path of ['', '/content'])
    expect(codeOf(await stranger.browser.get(`/v1/me/exports/${asked.body.id}${path}`))).toEqual([
      404,
      'NOT_FOUND',
    ])

  scene.clock.moveMs(Date.parse(done.expires_at) - scene.clock.nowMs() - 1_000)
  expect((await browser.raw('GET', `/v1/me/exports/${asked.body.id}/content`)).status).toBe(200)
  scene.clock.moveMs(1_000)
  expect(codeOf(await browser.get(`/v1/me/exports/${asked.body.id}/content`))).toEqual([
    409,
    'EXPORT_NOT_READY',
  ])
  await sweep('exports.sweep')
  expect(await scene.world.app.storage.get(stored!.storage_key)).toBeUndefined()
  expect((await browser.get('/v1/me/exports')).body.data).toMatchObject([{ state: 'expired' }])
})

test('one export of a person is made at a time, three in 24 hours, and only after a recent factor', async () => {
  const sara = await somebody()
  const { browser } = sara
  await query(
    `insert into people.exports (person_id, export_id, state, created_at) values ($1, $2, 'queued', $3)`,
    [sara.personId, randomUUID(), now()],
  )
  expect(codeOf(await browser.post('/v1/me/exports', {}))).toEqual([409, 'EXPORT_UNDER_WAY'])
  await query(`update people.exports set state = 'failed' where person_id = $1`, [sara.personId])
  for (let count = 1; count < 3; count++) {
    const { body } = await browser.post('/v1/me/exports', {})
    await ready(browser, body.id)
  }
  const refused = await browser.post('/v1/me/exports', {})
  expect([...codeOf(refused), refused.headers.get('retry-after')]).toEqual([
    429,
    'TOO_MANY_EXPORTS',
    String(dayMs / 1_000),
  ])
  scene.clock.moveMs(600_001)
  expect(codeOf(await browser.post('/v1/me/exports', {}))).toEqual([403, 'STEP_UP_REQUIRED'])
})

test('who asks to be deleted can sign in only to take it back, for thirty days to the second, and is then gone with name and addresses', async () => {
  const owner = await somebody('مالک')
  const reza = await colleague(owner.account, owner.project, 'developer')
  const place = { world: scene.world, accountId: owner.account, question: 'خصوصی' }
  await write({ ...place, person: { ...reza, project: owner.project } })
  await write({ ...place, person: owner })
  const talks = async () =>
    (
      await query<{ id: string }>('select person_id as id from talk.conversations where account_id = $1', [
        owner.account,
      ])
    ).map(({ id }) => id)
  const key = await reza.browser.post('/v1/keys', { name: 'left behind', scopes: ['models:read'] })
  expect(codeOf(await remove(reza.browser, '/v1/me', { confirm: 'somebody' }))).toEqual([
    400,
    'INVALID_REQUEST',
  ])
  const asked = await remove(reza.browser, '/v1/me', { confirm: 'سارا' })
  expect(asked.status, asked.text).toBe(200)
  const { due_at: dueAt, requested_at: requestedAt } = asked.body.deletion
  expect(Date.parse(dueAt) - Date.parse(requestedAt)).toBe(30 * dayMs)
  expect(codeOf(await reza.browser.get('/v1/me'))).toEqual([401, 'NOT_SIGNED_IN'])
  await mailed(reza.email, '/sign-in')

  const back = await signedIn(reza.email, owner.project)
  expect((await back.get('/v1/me')).body.deletion).toEqual(asked.body.deletion)
  for (const path of ['/v1/me/accounts', '/v1/models', '/v1/keys', '/v1/me/exports'])
    expect([path, ...codeOf(await back.get(path))]).toEqual([path, 403, 'PERSON_LEAVING'])
  const undone = await back.post('/v1/me/deletion/undo', {})
  expect(undone.body, undone.text).toEqual({ id: reza.personId, deletion: null, kept_accounts: [] })
  expect((await back.get('/v1/keys')).status).toBe(200)
  expect(codeOf(await back.post('/v1/me/deletion/undo', {}))).toEqual([409, 'DELETION_NOT_PENDING'])

  const again = await remove(back, '/v1/me', { confirm: 'سارا' })
  const due = Date.parse(again.body.deletion.due_at)
  scene.clock.moveMs(due - scene.clock.nowMs() - 1_000)
  await sweep('deletion.sweep')
  const last = await signedIn(reza.email, owner.project)
  expect((await last.get('/v1/me')).status).toBe(200)
  expect((await talks()).toSorted()).toEqual([owner.personId, reza.personId].toSorted())
  scene.clock.moveMs(1_000)
  expect(codeOf(await last.post('/v1/me/deletion/undo', {}))).toEqual([401, 'NOT_SIGNED_IN'])
  await sweep('deletion.sweep')
  await mailed(reza.email, 'این آخرین نامه به این نشانی است')
  expect(await talks()).toEqual([owner.personId])
  expect((await scene.browser().signIn(reza.email)).status).toBe(401)
  const tables = await query<{ name: string }>(
    `select table_schema || '.' || table_name as name from information_schema.tables
      where table_schema = 'people' and table_type = 'BASE TABLE'`,
  )
  for (const { name } of tables) {
    const rows = await query<{ text: string }>(
      `select t::text as text from ${name} t where t::text like '%' || $1 || '%'`,
      [reza.personId],
    )
    // The row itself stays without a name, for receipts and the audit log.
    const left = name === 'people.people' ? rows.filter(({ text }) => /سارا|@/.test(text)) : rows
    expect([name, left]).toEqual([name, []])
  }
  const ownerAgain = await signedIn(owner.email, owner.project)
  expect((await ownerAgain.get('/v1/members')).body.data).toHaveLength(1)
  const { status } = await program(key.body.secret).get('/v1/models')
  expect(status).toBe(200)
})

test('the last owner goes only with the account, whose deletion is taken back with that of the person', async () => {
  const sara = await somebody('تنها')
  const reza = await colleague(sara.account, sara.project, 'owner')
  const own = await sara.browser.get('/v1/me/deletion')
  expect(own.body.accounts).toMatchObject([{ id: sara.account, is_last_owner: false, other_members: 1 }])
  expect((await remove(reza.browser, '/v1/me', { confirm: 'سارا' })).status).toBe(200)
  // Whoever is about to go is no owner who stays.
  expect((await sara.browser.get('/v1/me/deletion')).body.accounts).toMatchObject([{ is_last_owner: true }])
  expect(codeOf(await remove(sara.browser, '/v1/me', { confirm: 'سارا' }))).toEqual([409, 'SOLE_OWNER'])
  expect(codeOf(await remove(sara.browser, `/v1/me/accounts/${sara.account}`))).toEqual([409, 'LAST_OWNER'])
  const foreign = await somebody('دیگری')
  expect(
    codeOf(await remove(sara.browser, '/v1/me', { confirm: 'سارا', delete_accounts: [foreign.account] })),
  ).toEqual([404, 'NOT_FOUND'])
  const asked = await remove(sara.browser, '/v1/me', { confirm: 'سارا', delete_accounts: [sara.account] })
  expect(asked.status, asked.text).toBe(200)
  const stateOf = async () =>
    (
      await query<{ state: string }>('select state from auth.accounts where account_id = $1', [sara.account])
    )[0]!.state
  expect(await stateOf()).toBe('closing')
  const back = await signedIn(sara.email, sara.project)
  const undone = await back.post('/v1/me/deletion/undo', {})
  expect(undone.body.kept_accounts).toEqual([sara.account])
  expect(await stateOf()).toBe('active')
})

test('an account that is to be deleted is read-only and charges nothing, every member hears of it, and any owner undoes it', async () => {
  const sara = await somebody('کافه')
  const reza = await colleague(sara.account, sara.project, 'owner')
  const viewer = await colleague(sara.account, sara.project, 'viewer')
  const made = await sara.browser.post('/v1/keys', {
    name: 'program',
    scopes: ['responses:write', 'models:read'],
  })
  const key = program(made.body.secret)
  const hook = await sara.browser.post('/v1/webhooks', {
    url: 'https://example.org/hook',
    events: ['batch.completed'],
  })
  expect(hook.status, hook.text).toBe(201)
  expect(codeOf(await viewer.browser.post('/v1/account/deletion', { confirm: 'حساب کافه' }))).toEqual([
    403,
    'INSUFFICIENT_ROLE',
  ])
  expect(codeOf(await sara.browser.post('/v1/account/deletion', { confirm: 'حساب' }))).toEqual([
    400,
    'INVALID_REQUEST',
  ])
  const asked = await sara.browser.post('/v1/account/deletion', { confirm: 'حساب کافه' })
  expect(asked.body, asked.text).toMatchObject({ deletion: { requested_by: { id: sara.personId } } })
  for (const { email } of [sara, reza, viewer]) await mailed(email, 'را خواسته است')
  const chat = { model: 'sandbox/fast', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] }
  const balance = async () => (await sara.browser.get('/v1/balance')).body.balance_microcredits
  const before = await balance()
  await until(async () => codeOf(await key.get('/v1/models'))[1] === 'ACCOUNT_CLOSING')
  expect(codeOf(await key.post('/v1/chat/completions', chat))).toEqual([403, 'ACCOUNT_CLOSING'])
  for (const [path, body] of [
    ['/v1/chat/completions', chat],
    ['/v1/keys', { name: 'more', scopes: ['models:read'] }],
    ['/v1/projects', { name: 'more' }],
    ['/v1/account/deletion', { confirm: 'حساب کافه' }],
  ] as const)
    expect([path, ...codeOf(await sara.browser.post(path, body))]).toEqual([path, 403, 'ACCOUNT_CLOSING'])
  expect((await sara.browser.get('/v1/keys')).body.data).toHaveLength(1)
  expect(await balance()).toBe(before)
  const parked = async () =>
    (
      await query<{ until: Date | null }>(
        'select parked_until as until from webhooks.connections where account_id = $1',
        [sara.account],
      )
    )[0]!.until
  await until(async () => (await parked()) !== null)
  // A process that was sending at that moment lets the connection go afterwards.
  const taken = { account_id: sara.account, connection_id: hook.body.id } as TakenConnection
  const processId = randomUUID()
  const { db } = scene.world.app
  await query('update webhooks.connections set process_id = $1 where account_id = $2', [
    processId,
    sara.account,
  ])
  expect(await refreshConnection(db, taken, { processId, now: now() })).toBeUndefined()
  await releaseConnection(db, taken, processId, 0, null)
  expect(await parked()).not.toBeNull()

  expect(codeOf(await remove(viewer.browser, '/v1/account/deletion'))).toEqual([403, 'INSUFFICIENT_ROLE'])
  const kept = await remove(reza.browser, '/v1/account/deletion')
  expect(kept.body, kept.text).toMatchObject({ deletion: null })
  await mailed(viewer.email, 'را برگرداند')
  await until(async () => (await key.post('/v1/chat/completions', chat)).status === 200)
  await until(async () => (await parked()) === null)
  expect(codeOf(await remove(reza.browser, '/v1/account/deletion'))).toEqual([409, 'DELETION_NOT_PENDING'])
  const log = await query<{ operation: string }>(
    `select operation from audit.entries where account_id = $1 and operation like 'account.%'`,
    [sara.account],
  )
  expect(log.map(({ operation }) => operation).toSorted()).toEqual(['account.delete', 'account.undoDelete'])
})

test('a suspended account stays closed to its people while it is to be deleted, and is suspended again once that is undone', async () => {
  const sara = await somebody('بسته')
  const reza = await colleague(sara.account, sara.project, 'owner')
  const viewer = await colleague(sara.account, sara.project, 'viewer')
  const { app } = scene.world
  await app.db.tx((tx) => setAccountState(tx, sara.account, 'suspended'))
  await until(async () => codeOf(await reza.browser.get('/v1/account'))[1] === 'ACCOUNT_SUSPENDED')
  expect(codeOf(await reza.browser.get('/v1/account/deletion'))).toEqual([403, 'ACCOUNT_SUSPENDED'])
  expect(codeOf(await remove(reza.browser, '/v1/account/deletion'))).toEqual([403, 'ACCOUNT_SUSPENDED'])
  const asked = await remove(sara.browser, '/v1/me', { confirm: 'سارا', delete_accounts: [sara.account] })
  expect(asked.status, asked.text).toBe(200)
  await until(async () => (await reza.browser.get('/v1/account/deletion')).status === 200)
  for (const path of ['/v1/account', '/v1/keys', '/v1/requests', '/v1/balance'])
    for (const { browser } of [reza, viewer])
      expect([path, ...codeOf(await browser.get(path))]).toEqual([path, 403, 'ACCOUNT_SUSPENDED'])
  expect(codeOf(await reza.browser.post('/v1/projects', { name: 'x' }))).toEqual([403, 'ACCOUNT_SUSPENDED'])
  expect(codeOf(await remove(viewer.browser, '/v1/account/deletion'))).toEqual([403, 'INSUFFICIENT_ROLE'])
  expect((await remove(reza.browser, '/v1/account/deletion')).status).toBe(200)
  expect(codeOf(await reza.browser.get('/v1/account'))).toEqual([403, 'ACCOUNT_SUSPENDED'])
  await app.db.tx((tx) => setAccountState(tx, sara.account, 'active'))
  await until(async () => (await reza.browser.get('/v1/account')).status === 200)
})

test('every table with rows of accounts is emptied when an account is deleted, or is named with the reason for which it is kept', async () => {
  const { world } = scene
  const tables = await tablesOfAccounts(world.app.db.query.bind(world.app.db))
  const last = ['people.members', 'people.invitations']
  const emptied = [...world.app.holdings.flatMap(({ tables: held }) => held), ...last]
  const kept = keptTables.map(({ table }) => table)
  expect([...emptied, ...kept].sort()).toEqual(tables)

  const sara = await somebody('پایان')
  const other = await somebody('ماندنی')
  const viewer = await colleague(sara.account, sara.project, 'viewer')
  const fileId = await upload(sara.browser, 'نامه.txt', 'سلام')
  const cloud = await sara.browser.post('/v1/cloud', { name: 'app', plan: 'starter' })
  expect(cloud.status, cloud.text).toBe(201)
  const site = await sara.browser.post('/v1/sites', {
    name: 'site',
    slug: `end-${randomUUID().slice(0, 8)}`,
    confirm_public: true,
    files: [
      { path: 'index.html', content: Buffer.from('<h1>x</h1>').toString('base64'), encoding: 'base64' },
    ],
  })
  expect(site.status, site.text).toBeLessThan(300)
  const chat = { model: 'sandbox/fast', max_tokens: 5, messages: [{ role: 'user', content: 'x' }] }
  expect((await sara.browser.post('/v1/chat/completions', chat)).status).toBe(200)
  await world.settled()
  // No cloud, for whose end its deletion would wait too.
  const calling = await somebody('پرکار')
  await upload(calling.browser, 'کار.txt', 'کار')
  const settle = await paidCall(calling.account, calling.project)
  // The databases of clouds have real ones beside their rows: the job that deletes a cloud is tested with them (tests/cloud).
  const filled = tables.filter((table) => !kept.includes(table) && !/^(databases|buckets)\./.test(table))
  await insertRows(world, filled, sara.account)
  const counts = async (account: string) => {
    const found: Record<string, number> = {}
    for (const table of tables) {
      const [row] = await query<{ count: number }>(
        `select count(*)::int as count from ${table} where account_id = $1`,
        [account],
      )
      if (row!.count > 0) found[table] = row!.count
    }
    return found
  }
  await upload(other.browser, 'دیگر.txt', 'می‌ماند')
  const ofOther = await counts(other.account)
  expect(Object.keys(await counts(sara.account))).toEqual(expect.arrayContaining(filled))

  const asked = await sara.browser.post('/v1/account/deletion', { confirm: 'حساب پایان' })
  expect(asked.status, asked.text).toBe(200)
  const down = 'select taken_down_at from sites.sites where account_id = $1 and taken_down_reason is not null'
  await until(async () => (await query(down, [sara.account])).length > 0)
  const stopped = 'select from clouds.clouds where account_id = $1 and suspended_at is not null'
  await until(async () => (await query(stopped, [sara.account])).length > 0)
  // A name that deleted accounts have too ends as any other.
  const nameless = await world.app.db.tx(async (tx) => {
    const { account_id: accountId } = await createAccount(tx, { name: '—' }, now())
    for (const id of [accountId, calling.account])
      await beginAccountDeletion(world.app, tx, { accountId: id, personId: null }, now())
    return accountId
  })
  scene.clock.moveMs(Date.parse(asked.body.deletion.due_at) - scene.clock.nowMs() - 1_000)
  await sweep('deletion.sweep')
  expect(await counts(sara.account)).toHaveProperty(['files.files'])
  scene.clock.moveMs(1_000)
  // Nothing is deleted before the last paid call has been settled.
  expect(await erase(calling.account)).toEqual({ laterMs: 2_000 })
  expect(await counts(calling.account)).toHaveProperty(['files.files'])
  await settle()
  await sweep('deletion.sweep')
  await mailed(viewer.email, 'برای همیشه پاک شد')
  const ended = 'select from people.account_deletions where account_id = $1 and ended_at is not null'
  await sweep('deletion.sweep')
  await until(async () => (await query(ended, [nameless])).length > 0)
  const left = Object.keys(await counts(sara.account))
  expect(left.filter((table) => !kept.includes(table) || table === 'ledger.holds')).toEqual([])
  expect(left).toEqual(expect.arrayContaining(['audit.entries', 'ledger.settlements', 'ledger.usage_days']))
  const text = await query<{ text: string }>(
    `select a::text || coalesce((select string_agg(e::text, ' ') from audit.entries e where e.account_id = a.account_id), '') as text
      from auth.accounts a where account_id = $1`,
    [sara.account],
  )
  expect(text[0]!.text).not.toMatch(/پایان|@/)
  await sweep('files.tidy')
  expect(await world.app.storage.get(`files/${sara.account}/${fileId}`)).toBeUndefined()
  expect(await counts(other.account)).toMatchObject(ofOther)
  expect(await query('select from ledger.violations')).toEqual([])
})
