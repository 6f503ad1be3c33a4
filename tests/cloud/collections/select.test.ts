import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RowsWorld, shareRows } from './rows-world.ts'

let rows: RowsWorld
beforeAll(async () => {
  rows = await shareRows()
  await rows.collection('things', { public_read: true })
  const { error } = await rows.service.from('things').insert(things)
  expect(error).toBe(null)
})
afterAll(() => rows[Symbol.asyncDispose]())

const things = [
  { name: 'کتاب', n: 1, price: 10.5, done: false, tags: ['a', 'b'], at: { city: 'تهران', zip: '011' } },
  {
    name: 'يار',
    n: 2,
    price: 7,
    done: true,
    tags: ['b', 1],
    at: { city: 'شیراز', zip: 12 },
    note: 'Hello, World',
  },
  { name: 'یار', n: 3, price: 1e21, done: null, tags: [], at: null, note: 'hello "you"' },
  { name: '5', n: '5', price: -1, tags: { a: 1 }, period: '[1,5)' },
  { name: 'e', n: 5, price: 0, tags: null, period: '[2026-01-01,2026-02-01)', sparse: true },
]
const table = () => rows.anon.from('things')
/** Names of the rows that a filter finds, in the order in which they were inserted. */
const names = async (asked: PromiseLike<{ data: unknown; error: unknown }>): Promise<string[]> => {
  const { data, error } = await asked
  expect(error).toBe(null)
  return (data as { name: string }[]).map(({ name }) => name)
}
const by = () => table().select('name').order('id')

describe('filters', () => {
  test('a value is compared by the type that is stored: a number as a number, a text as a text, a truth value as one', async () => {
    expect(await names(by().eq('n', 5))).toEqual(['5', 'e'])
    expect(await names(by().eq('n', '5.0'))).toEqual(['e'])
    expect(await names(by().eq('price', '10.50'))).toEqual(['کتاب'])
    expect(await names(by().eq('price', 1e21))).toEqual(['یار'])
    expect(await names(by().eq('done', true))).toEqual(['يار'])
    expect(await names(by().eq('name', 'کتاب'))).toEqual(['کتاب'])
    expect(await names(by().eq('at->zip', '011'))).toEqual(['کتاب'])
    expect(await names(by().eq('at->>zip', '12'))).toEqual(['يار'])
  })
  test('the two forms of ی and ک stay what they are: a comparison finds exactly what was asked for', async () => {
    expect(await names(by().eq('name', 'يار'))).toEqual(['يار'])
    expect(await names(by().eq('name', 'یار'))).toEqual(['یار'])
    expect(await names(by().ilike('name', '%یار%'))).toEqual(['یار'])
    expect(await names(by().in('name', ['يار', 'یار']))).toEqual(['يار', 'یار'])
  })
  test('null, JSON null and a field that is missing are the same, and match nothing but is and isDistinct', async () => {
    expect(await names(by().neq('done', true))).toEqual(['کتاب'])
    expect(await names(by().not('done', 'eq', true))).toEqual(['کتاب'])
    expect(await names(by().is('done', null))).toEqual(['یار', '5', 'e'])
    expect(await names(by().not('done', 'is', null))).toEqual(['کتاب', 'يار'])
    expect(await names(by().isDistinct('done', true))).toEqual(['کتاب', 'یار', '5', 'e'])
    expect(await names(by().is('done', true))).toEqual(['يار'])
    expect(await names(by().is('sparse', null))).toHaveLength(4)
  })
  test('comparisons order numbers among numbers and texts among texts', async () => {
    expect(await names(by().gt('n', 1))).toEqual(['يار', 'یار', '5', 'e'])
    expect(await names(by().gte('price', 7))).toEqual(['کتاب', 'يار', 'یار'])
    expect(await names(by().lt('price', 0))).toEqual(['5'])
    expect(await names(by().lte('n', 2))).toEqual(['کتاب', 'يار'])
    expect(await names(by().gt('name', 'ژاله'))).toEqual(['کتاب', 'يار', 'یار', 'e'])
  })
  test('patterns: like, ilike, all of and any of, with % and *', async () => {
    expect(await names(by().like('note', 'hello%'))).toEqual(['یار'])
    expect(await names(by().ilike('note', 'hello*'))).toEqual(['يار', 'یار'])
    expect(await names(by().ilikeAnyOf('note', ['%world', '%you%']))).toEqual(['يار', 'یار'])
    expect(await names(by().likeAllOf('note', ['Hello%', '%World']))).toEqual(['يار'])
    expect(await names(by().likeAnyOf('note', ['nothing']))).toEqual([])
    expect(await names(by().ilikeAllOf('note', ['h%', '%o%']))).toEqual(['يار', 'یار'])
  })
  test('lists: in and notIn, with commas, quotes and parentheses in their values', async () => {
    expect(await names(by().in('n', [1, 5]))).toEqual(['کتاب', '5', 'e'])
    expect(await names(by().in('note', ['Hello, World', 'x(y)']))).toEqual(['يار'])
    expect(await names(by().in('note', ['hello "you"']))).toEqual(['یار'])
    expect(await names(by().in('n', []))).toEqual([])
    expect(await names(by().notIn('n', [1, 2, 3]))).toEqual(['5', 'e'])
  })
  test('arrays and objects: contains, containedBy and overlaps take members as texts and as numbers', async () => {
    expect(await names(by().contains('tags', ['b']))).toEqual(['کتاب', 'يار'])
    expect(await names(by().contains('tags', ['b', '1']))).toEqual(['يار'])
    expect(await names(by().contains('tags', []))).toEqual(['کتاب', 'يار', 'یار', '5'])
    expect(await names(by().contains('tags', { a: 1 }))).toEqual(['5'])
    expect(await names(by().contains('at', { city: 'تهران' }))).toEqual(['کتاب'])
    expect(await names(by().containedBy('tags', ['a', 'b', 'c']))).toEqual(['کتاب', 'یار'])
    expect(await names(by().overlaps('tags', ['a', '1']))).toEqual(['کتاب', 'يار'])
  })
  test('ranges that are stored as texts: of numbers and of times', async () => {
    expect(await names(by().rangeGt('period', '[-2,0)'))).toEqual(['5'])
    expect(await names(by().rangeLt('period', '[7,9)'))).toEqual(['5'])
    expect(await names(by().rangeGte('period', '[1,3)'))).toEqual(['5'])
    expect(await names(by().rangeLte('period', '[1,5)'))).toEqual(['5'])
    expect(await names(by().rangeAdjacent('period', '[5,9)'))).toEqual(['5'])
    expect(await names(by().overlaps('period', '[2026-01-20,2026-03-01)'))).toEqual(['e'])
    expect(await names(by().contains('period', '[2,3)'))).toEqual(['5'])
  })
  test('words are searched for in every form that the client has', async () => {
    expect(await names(by().textSearch('note', "'hello' & 'world'"))).toEqual(['يار'])
    expect(await names(by().textSearch('note', 'hello you', { type: 'plain' }))).toEqual(['یار'])
    expect(await names(by().textSearch('note', 'hello world', { type: 'phrase' }))).toEqual(['يار'])
    expect(
      await names(by().textSearch('note', 'hello -world', { type: 'websearch', config: 'english' })),
    ).toEqual(['یار'])
  })
  test('conditions stand in one another', async () => {
    expect(await names(by().or('n.eq.1,and(n.gt.1,done.is.true)'))).toEqual(['کتاب', 'يار'])
    expect(await names(by().or('name.in.("کتاب","e"),note.eq."hello \\"you\\""'))).toEqual([
      'کتاب',
      'یار',
      'e',
    ])
    expect(await names(by().or('not.and(n.gte.1,n.lte.5),tags.cs.{b}'))).toEqual(['کتاب', 'يار'])
    expect(await names(by().or('note.not.is.null,at->>city.eq.تهران'))).toEqual(['کتاب', 'يار', 'یار'])
    expect(await names(by().match({ n: 2, done: true }))).toEqual(['يار'])
    expect(await names(by().filter('n', 'in', '(1,2)'))).toEqual(['کتاب', 'يار'])
  })
  test('columns of the row are compared as ids and times', async () => {
    const { data } = await table().select('id,created_at').eq('name', 'e').single()
    expect(await names(by().eq('id', data!.id))).toEqual(['e'])
    expect(await names(by().gte('created_at', '2020-01-01'))).toHaveLength(5)
    expect(await names(by().lt('created_at', '2020-01-01T00:00:00+03:30'))).toEqual([])
    expect(await names(by().is('owner_id', null))).toHaveLength(5)
    const wrong = await table().select().eq('id', 1)
    expect(wrong.error).toMatchObject({ code: '22P02' })
    expect(wrong.status).toBe(400)
  })
})

describe('what is answered', () => {
  test('fields, aliases, places within them, casts and all of the row', async () => {
    const { data } = await table()
      .select('title:name, city:at->>city, at->zip, price::text, whole:n::int, *')
      .eq('name', 'کتاب')
      .single()
      .throwOnError()
    expect(data).toMatchObject({
      title: 'کتاب',
      city: 'تهران',
      zip: '011',
      price: '10.5',
      whole: 1,
      n: 1,
      owner_id: null,
    })
    const one = await table().select('price::text,missing,tags->0').eq('name', 'کتاب').single()
    expect(one.data).toEqual({ price: '10.5', missing: null, tags: 'a' })
  })
  test('a cast that a stored value does not allow is a refusal of the caller, not of ours', async () => {
    const { error, status } = await table().select('name::int')
    expect(status).toBe(400)
    expect(error!.code).toBe('22P02')
  })
  test('rows come in the order that is asked for, whatever types they mix, in Persian order of letters', async () => {
    const order = await table().select('n').order('n').order('id')
    expect(order.data!.map(({ n }) => n)).toEqual([1, 2, 3, 5, '5'])
    const down = await table().select('n').order('n', { ascending: false }).order('id')
    expect(down.data!.map(({ n }) => n)).toEqual(['5', 5, 3, 2, 1])
    const nulls = await table().select('name').order('done', { nullsFirst: true }).order('name')
    expect(nulls.data!.map(({ name }) => name)).toEqual(['5', 'یار', 'e', 'کتاب', 'يار'])
    await rows.collection('letters', { public_read: true })
    await rows.service
      .from('letters')
      .insert(['ی', 'پ', 'گ', 'ب', 'ک', 'چ', 'ا', 'ژ', 'ز'].map((a) => ({ a })))
    const letters = await rows.anon.from('letters').select('a').order('a')
    expect(letters.data!.map(({ a }) => a).join('')).toBe('ابپچزژکگی')
  })
  test('pages: limit, range and counts, whose header says where they stand', async () => {
    const page = await table().select('n', { count: 'exact' }).order('id').range(1, 2)
    expect(page).toMatchObject({ count: 5, status: 206, data: [{ n: 2 }, { n: 3 }] })
    expect(await table().select('n', { count: 'planned' }).limit(0)).toMatchObject({ count: 5, data: [] })
    const head = await table().select('*', { count: 'estimated', head: true })
    expect(head).toMatchObject({ count: 5, data: null, status: 200 })
    const beyond = await table().select('n', { count: 'exact' }).range(5, 6)
    expect(beyond).toMatchObject({ status: 416, error: { code: 'PGRST103' } })
    expect((await table().select('n').range(5, 6)).data).toEqual([])
    const reply = await rows.ask('/things?select=n&order=id&offset=1&limit=2')
    expect(reply.headers.get('content-range')).toBe('1-2/*')
  })
  test('one row: single and maybeSingle', async () => {
    expect((await table().select('n').eq('name', 'e').single()).data).toEqual({ n: 5 })
    const none = await table().select('n').eq('name', 'none').single()
    expect(none).toMatchObject({
      status: 406,
      error: { code: 'PGRST116', details: 'The result contains 0 rows' },
    })
    expect(await table().select('n').single()).toMatchObject({ status: 406, error: { code: 'PGRST116' } })
    expect(await table().select('n').eq('name', 'none').maybeSingle()).toMatchObject({
      data: null,
      error: null,
    })
    expect((await table().select('n').maybeSingle()).error!.code).toBe('PGRST116')
    await expect(table().select().eq('name', 'none').single().throwOnError()).rejects.toThrow()
  })
  test('tables of text, with the fields that are named or all there are', async () => {
    const some = await table().select('name,note,n').order('id').limit(3).csv()
    expect(some.data).toBe('name,note,n\nکتاب,,1\nيار,"Hello, World",2\nیار,"hello ""you""",3')
    const all = await table().select().eq('name', 'e').csv()
    const [head, line] = all.data!.split('\n')
    expect(head).toBe('id,owner_id,created_at,updated_at,at,done,n,name,note,period,price,sparse,tags')
    expect(line).toMatch(/^[0-9a-f-]{36},,[^,]*,[^,]*,,,5,e,,"\[2026-01-01,2026-02-01\)",0,true,$/)
  })
  test('nulls are left out where that is asked for', async () => {
    const { data } = await table().select('name,done,at').eq('n', 3).stripNulls()
    expect(data).toEqual([{ name: 'یار' }])
    const one = await table().select('name,done').eq('n', 3).stripNulls().single()
    expect(one.data).toEqual({ name: 'یار' })
  })
  test('the description of the collections names those that the caller may read', async () => {
    await rows.collection('hidden')
    const { data } = await (
      rows.anon as unknown as { rest: { getOpenApiSpec(): Promise<{ data: { paths: object } }> } }
    ).rest.getOpenApiSpec()
    expect(Object.keys(data.paths)).toContain('/things')
    expect(Object.keys(data.paths)).not.toContain('/hidden')
    const all = await (
      rows.service as unknown as { rest: { getOpenApiSpec(): Promise<{ data: { paths: object } }> } }
    ).rest.getOpenApiSpec()
    expect(Object.keys(all.data.paths)).toContain('/hidden')
  })
})

test('a request that its caller aborts is one for the client, and the next is answered', async () => {
  const gone = new AbortController()
  gone.abort()
  const { error } = await table().select().abortSignal(gone.signal)
  expect(error!.message).toContain('AbortError')
  expect((await table().select('n').limit(1)).data).toHaveLength(1)
})

describe('what is refused says so', () => {
  const refusals: [
    name: string,
    ask: () => PromiseLike<{ error: unknown; status: number }>,
    status: number,
    code: string,
  ][] = [
    ['POSIX regular expressions', () => table().select().regexMatch('name', '^a'), 400, '0A000'],
    ['the same without case', () => table().select().regexIMatch('name', '^a'), 400, '0A000'],
    ['functions of the database', () => rows.anon.rpc('sum', { a: 1 }), 404, 'PGRST202'],
    ['functions by GET', () => rows.anon.rpc('sum', { a: 1 }, { get: true }), 404, 'PGRST202'],
    ['embedded tables', () => table().select('name, author(*)'), 400, 'PGRST200'],
    ['spread tables', () => table().select('name, ...author(name)'), 400, 'PGRST200'],
    ['filters of embedded tables', () => table().select().eq('author.name', 'x'), 400, 'PGRST200'],
    [
      'orders of embedded tables',
      () => table().select().order('name', { referencedTable: 'author' }),
      400,
      'PGRST200',
    ],
    ['aggregates', () => table().select('price.sum()'), 400, 'PGRST123'],
    ['another schema', () => rows.anon.schema('private').from('things').select(), 406, 'PGRST106'],
    ['plans', () => table().select().explain(), 406, 'PGRST107'],
    ['GeoJSON', () => table().select().geojson(), 406, 'PGRST107'],
    ['a collection that is not there', () => rows.anon.from('missing').select(), 404, 'PGRST205'],
    ['an unknown operator', () => table().select().filter('n', 'like2', '5'), 400, 'PGRST100'],
    ['an unknown cast', () => table().select('name::regclass'), 400, 'PGRST100'],
    [
      'an unknown language',
      () => table().select().textSearch('note', 'a', { config: 'klingon' }),
      400,
      'PGRST100',
    ],
    ['a search that cannot be read', () => table().select().textSearch('note', '& &'), 400, '42601'],
    ['a pattern that ends in a backslash', () => table().select().like('name', 'a\\'), 400, '22025'],
    ['a range that is none', () => table().select().rangeGt('period', '[5,1)'), 400, '22000'],
    ['a negative limit', () => table().select().limit(-1), 400, 'PGRST100'],
    ['parentheses that do not match', () => table().select().or('n.eq.1,(n.eq.2'), 400, 'PGRST100'],
    ['NUL', () => table().select().eq('name', 'a\0b'), 400, 'PGRST100'],
  ]
  test.each(refusals)('%s', async (_name, ask, status, code) => {
    const answered = await ask()
    expect(answered.error).toMatchObject({ code, message: expect.stringMatching(/.{10}/) })
    expect(answered.status).toBe(status)
  })
  test('in the language that is asked for', async () => {
    const reply = await rows.ask('/things?name=match.a', { headers: { 'accept-language': 'fa' } })
    expect(await reply.json()).toMatchObject({
      code: '0A000',
      message: expect.stringContaining('عبارت‌های منظم'),
    })
  })
})

describe('bounds, at their edges', () => {
  const many = (count: number, name = 'n') =>
    Array.from({ length: count }, (_, index) => `${name}=neq.${index}`).join('&')
  const status = async (path: string): Promise<number> => (await rows.ask(path)).status
  test('20 filters', async () => {
    expect(await status(`/things?${many(20)}`)).toBe(200)
    expect(await status(`/things?${many(21)}`)).toBe(400)
    expect(await status(`/things?or=(${Array(20).fill('n.eq.1').join(',')})`)).toBe(200)
    expect(await status(`/things?or=(${Array(21).fill('n.eq.1').join(',')})`)).toBe(400)
    expect(await status(`/things?n=like(any).{${Array(21).fill('a').join(',')}}`)).toBe(400)
  })
  test('10 conditions in one another', async () => {
    const nested = (depth: number): string => (depth === 1 ? '(n.eq.1)' : `(and${nested(depth - 1)})`)
    expect(await status(`/things?or=${nested(10)}`)).toBe(200)
    expect(await status(`/things?or=${nested(11)}`)).toBe(400)
    expect(await status(`/things?or=${'('.repeat(6_000)}`)).toBe(400)
  })
  test('50 fields, 10 orders, patterns of 500 characters, lists of 1,000 values', async () => {
    expect(await status(`/things?select=${Array(50).fill('n').join(',')}`)).toBe(200)
    expect(await status(`/things?select=${Array(51).fill('n').join(',')}`)).toBe(400)
    expect(await status(`/things?order=${Array(10).fill('n').join(',')}`)).toBe(200)
    expect(await status(`/things?order=${Array(11).fill('n').join(',')}`)).toBe(400)
    expect(await status(`/things?name=like.${'a'.repeat(500)}`)).toBe(200)
    expect(await status(`/things?name=like.${'a'.repeat(501)}`)).toBe(400)
    expect(await status(`/things?n=in.(${Array(1_000).fill('1').join(',')})`)).toBe(200)
    expect(await status(`/things?n=in.(${Array(1_001).fill('1').join(',')})`)).toBe(400)
  })
})
