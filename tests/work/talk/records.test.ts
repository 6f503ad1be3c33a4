/** The records of Talk: whose they are, their pages, branches and search, and that a deletion leaves nothing. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject } from '#platform/auth'
import { endMessage, findLostMessages, flushParts } from '../../../src/work/talk/message-store.ts'
import { loadPath } from '../../../src/work/talk/path.ts'
import { type Member, newManagementKey, newMember, newPerson } from '../../harness/session.ts'
import { sharedWorld } from '../../harness/shared-world.ts'
import type { World } from '../../harness/world.ts'
import { patch, path, remove, rowsOfAccount, write } from './talks.ts'

let world: World
let sara: Member
beforeAll(async () => {
  world = await sharedWorld()
  sara = await newMember(world, 'developer')
})
afterAll(() => world[Symbol.asyncDispose]())

const query = (text: string, values: unknown[] = []) => world.app.db.query({ text }, values)
const idsOf = (reply: { body: { data: { id: string }[] } }): string[] => reply.body.data.map(({ id }) => id)
const found = async (words: string, person = sara): Promise<string[]> =>
  idsOf(await person.get(`${path}?q=${encodeURIComponent(words)}`))

test('a conversation is its person’s alone: not an owner’s, an operator’s, another account’s, nor any key’s', async () => {
  const { conversationId: id, questionId } = await write({ world, person: sara, question: 'رازی میان ما' })
  const { account, project } = await world.stranger()
  const others: [Member, number][] = [
    [await newMember(world, 'owner'), 404],
    [await newMember(world, 'admin', { isOperator: true }), 404],
    [await newMember(world, 'developer'), 404],
    [await newMember(world, 'owner', { account, project }), 404],
    [await newMember(world, 'viewer'), 403],
    [await newMember(world, 'billing'), 403],
  ]
  for (const [person, status] of others) {
    expect((await person.get(`${path}/${id}`)).status).toBe(status)
    expect((await patch(person, id, { title: 'دزد' })).status).toBe(status)
    expect((await remove(person, `${path}/${id}`)).status).toBe(status)
    const list = await person.get(`${path}?q=${encodeURIComponent('رازی')}`)
    if (status === 403) expect(list.body.error.code).toBe('INSUFFICIENT_ROLE')
    else expect(list.body.data).toEqual([])
    if (status === 404) expect((await remove(person, path)).body).toEqual({ deleted: 0 })
  }
  for (const key of [await world.key(), await newManagementKey(world)])
    for (const address of [path, `${path}/${id}`]) expect((await key.get(address)).status).toBe(403)
  expect((await (await newPerson(world, { isOperator: true })).get(`${path}/${id}`)).status).toBe(404)
  const own = await sara.get(`${path}/${id}`)
  expect(own.body.path.data[0]).toMatchObject({
    id: questionId,
    parts: [{ type: 'text', text: 'رازی میان ما' }],
  })
  // Nor does a message of somebody else open anything: neither as a leaf, nor as the edge of a page.
  const mine = await write({ world, person: others[2]![0], question: 'از آنِ من' })
  for (const option of ['leaf', 'before'])
    expect((await others[2]![0].get(`${path}/${mine.conversationId}?${option}=${questionId}`)).status).toBe(
      404,
    )
  // Another project of the same person has a list of its own.
  const elsewhere = await world.app.db.tx((tx) =>
    createProject(tx, { accountId: world.account, name: 'دیگر' }, new Date(world.app.clock.nowMs())),
  )
  const headers = { 'x-kherad-project': elsewhere.project_id }
  expect((await sara.get(`${path}/${id}`, headers)).status).toBe(404)
  expect((await sara.get(path, headers)).body.data).toEqual([])
})

test('the title is the first words until the person names it, without signs that turn the text, with half-spaces', async () => {
  const long = `می‌خواهم ${'دربارهٔ سفر به شیراز '.repeat(8)}بپرسم`
  const { conversationId: id } = await write({ world, person: sara, question: `\u202e\n ${long}` })
  const { body } = await sara.get(`${path}/${id}`)
  expect(body.title).toMatch(/^می‌خواهم دربارهٔ .*\S…$/)
  expect(body.title.length).toBeLessThanOrEqual(80)
  expect(long.startsWith(body.title.slice(0, -1))).toBe(true)
  expect(long[body.title.length - 1]).toBe(' ')
  expect(body.is_named).toBe(false)
  const renamed = await patch(sara, id, { title: 'سفر\u202e به\u2066 نیم‌فاصله ' })
  expect(renamed.body).toMatchObject({ title: 'سفر به نیم‌فاصله', is_named: true })
  expect(await found('نيم فاصله')).toEqual([id])
  expect((await patch(sara, id, { title: '\u202e\u2069' })).body.error).toMatchObject({
    code: 'INVALID_REQUEST',
    param: 'title',
  })
  expect((await patch(sara, id, { title: 'x'.repeat(121) })).status).toBe(400)
  expect((await patch(sara, id, { title: 'x'.repeat(120) })).status).toBe(200)
  expect((await patch(sara, id, { title: null })).body.title).toBe(body.title)
  expect(await found('نيم فاصله')).toEqual([])
})

test('a branch is shown by any of its messages, siblings are named, and a conversation costs what its messages cost', async () => {
  const first = await write({ world, person: sara, question: 'یک', microcredits: 1_234_567n })
  const { conversationId } = first
  const add = (parentId: string | null, microcredits: bigint) =>
    write({ world, person: sara, conversationId, parentId, question: 'دو', microcredits })
  const second = await add(first.answerId, 1n)
  const edited = await add(first.answerId, 10n)
  const third = await add(edited.answerId, 100n)
  const again = await add(null, 0n)
  const read = async (options = '') => (await sara.get(`${path}/${conversationId}${options}`)).body
  const shown = async (options = '') => (await read(options)).path.data.map(({ id }: { id: string }) => id)
  expect(await shown()).toEqual([again.questionId, again.answerId])
  const longest = [
    first.questionId,
    first.answerId,
    edited.questionId,
    edited.answerId,
    third.questionId,
    third.answerId,
  ]
  expect(await shown(`?leaf=${first.questionId}`)).toEqual(longest)
  expect(await shown(`?leaf=${second.questionId}`)).toEqual([
    ...longest.slice(0, 2),
    second.questionId,
    second.answerId,
  ])
  const changed = await patch(sara, conversationId, { leaf_id: edited.questionId.toUpperCase() })
  expect(changed.body.leaf_id).toBe(third.answerId)
  const body = await read()
  expect(body.path.data[2].sibling_ids).toEqual([second.questionId, edited.questionId])
  expect(body.path.data[0].sibling_ids).toEqual([first.questionId, again.questionId])
  expect(body.path.data[1].sibling_ids).toEqual([first.answerId])
  expect(body).toMatchObject({ messages: 10, microcredits: '1234678', credits: 1.234678 })
  const answer = { accountId: world.account, messageId: again.answerId }
  // What ends twice counts once.
  const end = { state: 'complete', receiptId: randomUUID(), microcredits: 5n } as const
  const endAgain = () => world.app.db.tx((tx) => endMessage(tx, answer, end, new Date()))
  expect(await endAgain()).toBe(false)
  expect((await read()).microcredits).toBe('1234678')
  expect((await patch(sara, conversationId, { leaf_id: randomUUID() })).body.error.param).toBe('leaf_id')
  // Its last two messages still fit, and none after them.
  await query('update talk.conversations set messages = 19998 where conversation_id = $1', [conversationId])
  const last = await add(null, 0n)
  await expect(add(null, 0n)).rejects.toMatchObject({ code: 'CONVERSATION_FULL' })
  expect(await read()).toMatchObject({ messages: 20_000, leaf_id: last.answerId })
})

test('pages of the list have neither gaps nor repeats while conversations are added and deleted; pinned ones come first', async () => {
  const reza = await newMember(world, 'admin')
  const ids: string[] = []
  // Several have the same time.
  for (let index = 0; index < 12; index++) {
    const at = new Date(world.app.clock.nowMs() - 60_000 + Math.floor(index / 3) * 1_000)
    ids.unshift((await write({ world, person: reza, question: `گفت‌وگوی ${index}`, at })).conversationId)
  }
  await patch(reza, ids[7]!, { pinned: true })
  await patch(reza, ids[3]!, { archived: true })
  const all = idsOf(await reza.get(`${path}?limit=100`))
  expect(all[0]).toBe(ids[7])
  expect(new Set(all)).toEqual(new Set(ids.filter((id) => id !== ids[3])))
  expect(idsOf(await reza.get(`${path}?archived=true`))).toEqual([ids[3]])
  const seen: string[] = []
  for (let cursor = '', page = 0; ; page++) {
    const reply = await reza.get(`${path}?limit=2${cursor}`)
    seen.push(...idsOf(reply))
    if (!reply.body.has_more) break
    cursor = `&cursor=${reply.body.next_cursor}`
    // The last one of the page goes, with the place where the next page begins; and a new one comes.
    await remove(reza, `${path}/${seen.at(-1)}`)
    await write({ world, person: reza, question: 'تازه' })
    expect(page).toBeLessThan(7)
  }
  expect(seen).toEqual(all)
  for (const cursor of ['nonsense', 'W10', Buffer.from('["1","x","y"]').toString('base64url')])
    expect((await reza.get(`${path}?cursor=${cursor}`)).body.error).toMatchObject({
      code: 'INVALID_REQUEST',
      param: 'cursor',
    })
})

test('pages of a path have neither gaps nor repeats while messages are added, and end where rows run in a circle', async () => {
  const turns = [await write({ world, person: sara, question: '0' })]
  const { conversationId } = turns[0]!
  const next = async (question: string) =>
    turns.push(
      await write({ world, person: sara, conversationId, parentId: turns.at(-1)!.answerId, question }),
    )
  for (let index = 1; index < 10; index++) await next(String(index))
  const expected = turns.flatMap(({ questionId, answerId }) => [questionId, answerId])
  const seen: string[] = []
  for (let before = ''; ; ) {
    const { body } = await sara.get(`${path}/${conversationId}?limit=7${before}`)
    const ids = body.path.data.map(({ id }: { id: string }) => id)
    seen.unshift(...ids)
    if (!body.path.has_more) break
    before = `&before=${ids[0]}`
    await next('تازه')
    await write({ world, person: sara, conversationId, parentId: turns[2]!.answerId, question: 'شاخه' })
    await patch(sara, conversationId, { leaf_id: turns.at(-1)!.answerId })
  }
  expect(seen).toEqual(expected)
  // A page of long messages ends sooner, and the next one goes on there.
  const [third, long] = ['سوم', 'x'.repeat(199_999)]
  const last = await write({
    world,
    person: sara,
    conversationId,
    parentId: turns.at(-1)!.answerId,
    question: third,
    answer: long,
  })
  const longer = await write({
    world,
    person: sara,
    conversationId,
    parentId: last.answerId,
    question: long,
    answer: long,
  })
  const { path: page } = (await sara.get(`${path}/${conversationId}`)).body
  expect(page.has_more).toBe(true)
  expect(page.data.map(({ id }: { id: string }) => id)).toEqual([
    last.answerId,
    longer.questionId,
    longer.answerId,
  ])
  const before = await sara.get(`${path}/${conversationId}?before=${last.answerId}&limit=2`)
  expect(before.body.path.data.map(({ id }: { id: string }) => id)).toEqual([
    turns.at(-1)!.answerId,
    last.questionId,
  ])
  await query('update talk.messages set parent_id = $1 where message_id = $2', [
    turns.at(-1)!.answerId,
    turns[1]!.questionId,
  ])
  const looped = await loadPath(
    world.app.db,
    { accountId: world.account, conversationId },
    { leafId: turns.at(-1)!.answerId, limit: 20_000 },
  )
  expect(looped.length).toBeLessThanOrEqual(turns.length * 2)
  expect((await sara.get(`${path}/${conversationId}?leaf=${turns[1]!.questionId}`)).status).toBe(200)
})

test('words are found in every spelling, in titles and messages, with the text around them', async () => {
  const mina = await newMember(world, 'developer')
  const ask = (question: string, answer?: string) =>
    write({ world, person: mina, question, ...(answer && { answer }) })
  const book = await ask('كتاب‌هاي علي در سال ۱۳۹۹', 'آن سال ١٢ کتاب نوشت')
  const trip = await ask(
    'سفر به شيراز',
    `${'پیش از آن. '.repeat(400)}حافظیه را ببینید ${'پس از آن. '.repeat(400)}`,
  )
  expect(await found('کتابهای علی', mina)).toEqual([book.conversationId])
  expect(await found('كتاب هاي علي', mina)).toEqual([book.conversationId])
  expect(await found('1399', mina)).toEqual([book.conversationId])
  expect(await found('12 کتاب', mina)).toEqual([book.conversationId])
  // Words of two messages are not the words of one; and the last word may be unfinished.
  expect(await found('۱۳۹۹ نوشت', mina)).toEqual([])
  expect(await found('حافظ', mina)).toEqual([trip.conversationId])
  const { body } = await mina.get(`${path}?q=${encodeURIComponent('حافظيه')}`)
  expect(body.data[0].match.message_id).toBe(trip.answerId)
  expect(body.data[0].match.snippet).toMatch(/^….*پیش از آن\. حافظیه را ببینید پس از آن\..*…$/)
  // Pages of what is found go on as those of the list do.
  const plans: string[] = []
  for (const question of ['برنامهٔ یک', 'برنامهٔ دو', 'برنامهٔ سه'])
    plans.unshift((await ask(question)).conversationId)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const reply = await mina.get(`${path}?limit=2&q=${encodeURIComponent('برنامه')}${cursor}`)
    seen.push(...idsOf(reply))
    if (!reply.body.has_more) break
    cursor = `&cursor=${reply.body.next_cursor}`
    await remove(mina, `${path}/${seen.at(-1)}`)
  }
  expect(seen.toSorted()).toEqual(plans.toSorted())
  await patch(mina, trip.conversationId, { title: 'کارهای نوروز', archived: true })
  expect(await found('نوروز', mina)).toEqual([trip.conversationId])
  expect(idsOf(await mina.get(`${path}?q=${encodeURIComponent('نوروز')}&archived=false`))).toEqual([])
  for (const nothing of ['!!!', "' | 'x", '%00', '٪', 'a & !b', ':*'])
    expect(await found(nothing, mina)).toEqual([])
  expect((await mina.get(`${path}?q=`)).status).toBe(400)
  expect((await mina.get(`${path}?q=${'x'.repeat(201)}`)).status).toBe(400)
  expect(await found('کتاب', sara)).toEqual([])
})

test('a deletion leaves nothing: no message, part or word, and no file that hangs on nothing else', async () => {
  await using own = await sharedWorld()
  const person = await newMember(own, 'developer')
  const upload = async (purpose: string | undefined) => {
    const file = {
      name: 'متن.txt',
      media_type: 'text/plain',
      data: Buffer.from('سلام').toString('base64'),
      purpose,
    }
    const reply = await person.post('/v1/files', file)
    expect(reply.status, reply.text).toBeLessThan(300)
    return reply.body.id as string
  }
  const [attached, shared, plain] = [await upload('talk'), await upload('talk'), await upload(undefined)]
  const about = (...files: string[]) => [
    { kind: 'text' as const, body: 'این را بخوان' },
    ...files.map((fileId) => ({ kind: 'file' as const, fileId })),
  ]
  const first = await write({ world: own, person, question: about(attached, shared, plain) })
  const second = await write({ world: own, person, question: about(shared) })
  const open = await write({ world: own, person, question: 'هنوز می‌نویسد', isOpen: true })
  await patch(person, first.conversationId, { title: 'عنوان' })
  const statusOf = async (id: string) => (await person.get(`/v1/files/${id}`)).status
  expect(await rowsOfAccount(own)).toEqual({ conversations: 3, messages: 6, parts: 10, words: 6 })
  expect((await remove(person, `${path}/${first.conversationId}`)).body).toEqual({
    id: first.conversationId,
    deleted: true,
  })
  expect((await remove(person, `${path}/${first.conversationId}`)).status).toBe(404)
  expect([await statusOf(attached), await statusOf(shared), await statusOf(plain)]).toEqual([404, 200, 200])
  expect(await own.app.storage.get(`files/${own.account}/${attached}`)).toBeUndefined()
  expect((await remove(person, path)).body).toEqual({ deleted: 2 })
  expect([await statusOf(shared), await statusOf(plain)]).toEqual([404, 200])
  expect(await rowsOfAccount(own)).toEqual({ conversations: 0, messages: 0, parts: 0, words: 0 })
  // The answer that was being written hears of it, and writes nothing more.
  const message = { accountId: own.account, messageId: open.answerId }
  const left = await flushParts(
    own.app.db,
    [message],
    [{ ...message, ordinal: 0, kind: 'text', from: 0, text: 'دیر' }],
  )
  expect(left.size).toBe(0)
  expect((await rowsOfAccount(own))['parts']).toBe(0)
  expect(second.conversationId).not.toBe(open.conversationId)
})

test('pieces of an answer are written where they belong, once, however often they are sent; answers of dead processes are found', async () => {
  const { conversationId, answerId } = await write({
    world,
    person: sara,
    question: 'بنویس',
    answer: '',
    isOpen: true,
  })
  const message = { accountId: world.account, messageId: answerId }
  const piece = (from: number, text: string) => ({
    ...message,
    ordinal: 0,
    kind: 'text' as const,
    from,
    text,
  })
  const { db } = world.app
  await flushParts(db, [message], [piece(0, 'سلام 😀\0')])
  await flushParts(
    db,
    [message],
    [
      piece(6, ' دنیا'),
      { ...message, ordinal: 1, kind: 'source', from: 0, detail: { url: 'https://a.example' } },
    ],
  )
  const left = await flushParts(db, [message], [piece(6, ' دنیا')])
  expect([...left]).toEqual([answerId])
  const place = { accountId: world.account, conversationId }
  const [{ parts } = { parts: [] }] = await loadPath(db, place, { leafId: answerId, limit: 1 })
  expect(parts).toMatchObject([
    { body: 'سلام 😀 دنیا', characters: 11 },
    { kind: 'source', body: null, detail: { url: 'https://a.example' } },
  ])
  await query('update talk.messages set process_id = $1 where message_id = $2', [randomUUID(), answerId])
  const lost = await findLostMessages(db, world.app.processes, 100)
  expect(lost.map(({ message_id: id }) => id)).toContain(answerId)
  await remove(sara, `${path}/${conversationId}`)
})
