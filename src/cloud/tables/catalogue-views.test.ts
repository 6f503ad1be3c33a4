/** Views of what apps do not reach themselves have its relationships. */
import { describe, expect, test } from 'vitest'
import { readCatalogue } from './catalogue.ts'
import { findRelationship } from './relationship.ts'

const ids: Record<string, string> = {}
const idOf = (name: string): string => {
  ids[name] ??= String(Object.keys(ids).length + 1)
  return ids[name]
}

/** Columns are numbered as they are named. */
const relation = (name: string, columns: readonly string[], more: object = {}) => ({
  ...{
    id: idOf(name),
    schema: name.split('.')[0]!,
    name: name.split('.')[1]!,
    isView: false,
    description: null,
  },
  columns: columns.map((column, at) => ({
    ...{ name: column, number: at + 1, type: 'integer', operators: 'pg_catalog', notNull: false },
    ...{ default: null, isGenerated: false, description: null },
  })),
  ...{ primaryKey: [] as string[], definition: null as string | null, isUpdatable: true, ...more },
})

/** A view of columns of other relations, by their numbers. */
function view(
  name: string,
  columns: Record<string, readonly [of: string, number: number]>,
  more: object = {},
) {
  const entries = Object.values(columns).map(
    ([of, number], at) =>
      `{TARGETENTRY :resno ${at + 1} :resorigtbl ${idOf(of)} :resorigcol ${number} :resjunk false}`,
  )
  const definition = `({QUERY :targetList (${entries.join(' ')}) :x <>})`
  return relation(name, Object.keys(columns), { isView: true, definition, ...more })
}

const key = (name: string, from: string, columns: string[], to: string) => ({
  ...{ name, from: idOf(from), columns, to: idOf(to), toColumns: ['id'], isUnique: false },
})

function catalogueOf(tables: object[], hidden: object[], foreignKeys: object[]) {
  const read = { version: '1', tables, hidden, foreignKeys, routines: [], types: {} }
  const catalogue = readCatalogue(JSON.stringify(read), ['public'])
  const find = (table: string, target: string, hint?: string) => {
    const { kind, on, through } = findRelationship(catalogue, catalogue.table('public', table)!, {
      target,
      hint,
    })
    return [kind, on, through?.table.name]
  }
  return { catalogue, find }
}

const books = relation('private.books', ['id', 'author_id'], { primaryKey: ['id'] })
const authors = relation('private.authors', ['id', 'name'], { primaryKey: ['id'] })
const labels = relation('private.labels', ['id'], { primaryKey: ['id'] })
const between = relation('private.book_labels', ['book_id', 'label_id'], {
  primaryKey: ['book_id', 'label_id'],
})
const keys = [
  key('books_author_id_fkey', 'private.books', ['author_id'], 'private.authors'),
  key('book_labels_book_id_fkey', 'private.book_labels', ['book_id'], 'private.books'),
  key('book_labels_label_id_fkey', 'private.book_labels', ['label_id'], 'private.labels'),
]
const hidden = [books, authors, labels, between]
const books2 = view('public.books', { number: ['private.books', 1], writer: ['private.books', 2] })
const authors2 = view('public.authors', { id: ['private.authors', 1], name: ['private.authors', 2] })
const labels2 = view('public.labels', { id: ['private.labels', 1] })
const between2 = view('public.book_labels', {
  book: ['private.book_labels', 1],
  label: ['private.book_labels', 2],
})

describe('views of another schema', () => {
  test('are related as its tables are, in either direction and across a view in between', () => {
    const { find, catalogue } = catalogueOf([books2, authors2, labels2, between2], hidden, keys)
    expect(find('books', 'authors')).toEqual(['many-to-one', [['writer', 'id']], undefined])
    expect(find('authors', 'books')).toEqual(['one-to-many', [['id', 'writer']], undefined])
    expect(find('books', 'labels')).toEqual(['many-to-many', [['label', 'id']], 'book_labels'])
    expect(find('labels', 'books', 'book_labels')).toEqual([
      'many-to-many',
      [['book', 'number']],
      'book_labels',
    ])
    // They have the primary keys that they show, and none of the tables is open.
    expect(catalogue.tables.map(({ name, primaryKey }) => [name, primaryKey])).toEqual([
      ['books', ['number']],
      ['authors', ['id']],
      ['labels', ['id']],
      ['book_labels', ['book', 'label']],
    ])
    expect(catalogue.table('private', 'books')).toBeUndefined()
  })

  test('are not related across a table that apps do not reach, nor to one', () => {
    const { find } = catalogueOf([books2, labels2], hidden, keys)
    for (const target of ['labels', 'authors', 'book_labels'])
      expect(() => find('books', target), target).toThrow('Could not find a relationship')
  })

  test('show it through further views, wherever these are', () => {
    const inner = view('private.writers', { code: ['private.authors', 1] })
    const outer = view('public.writers', { code: ['private.writers', 1] })
    const { find } = catalogueOf([books2, outer], [...hidden, inner], keys)
    expect(find('books', 'writers')).toEqual(['many-to-one', [['writer', 'code']], undefined])
  })

  test('are written by the key that they show only where PostgreSQL writes their rows, also those of views that they show', () => {
    const number = (of: string) => ({ number: [of, 1] as const })
    const byOthers = { isUpdatable: false }
    const { catalogue } = catalogueOf(
      [
        view('public.plain', number('private.books')),
        view('public.of_plain', number('private.inner')),
        view('public.by_trigger', number('private.books'), byOthers),
        view('public.of_join', number('private.joined')),
        view('public.of_of_join', number('public.of_join')),
      ],
      [
        ...hidden,
        view('private.inner', number('private.books')),
        view('private.joined', { ...number('private.books'), id: ['private.authors', 1] }, byOthers),
      ],
      keys,
    )
    const keysOf = (name: string) => {
      const { primaryKey, rowKey } = catalogue.table('public', name)!
      return [primaryKey, rowKey]
    }
    for (const name of ['plain', 'of_plain']) expect(keysOf(name), name).toEqual([['number'], ['number']])
    for (const name of ['by_trigger', 'of_join', 'of_of_join'])
      expect(keysOf(name), name).toEqual([['number'], []])
  })

  test('are beside tables that are open: a table that refers to one, and one that a view shows', () => {
    const sales = relation('public.sales', ['id', 'book_id'], { primaryKey: ['id'] })
    const all = [...keys, key('sales_book_id_fkey', 'public.sales', ['book_id'], 'private.books')]
    const { find } = catalogueOf([sales, books2], hidden, all)
    expect(find('sales', 'books')).toEqual(['many-to-one', [['book_id', 'number']], undefined])
    expect(find('books', 'sales')).toEqual(['one-to-many', [['number', 'book_id']], undefined])
  })
})

test('a view of a table in between that is open itself makes no second way across it', () => {
  const open = (name: string, columns: string[], primaryKey: string[]) =>
    relation(name, columns, { primaryKey })
  const tables = [
    open('public.films', ['id'], ['id']),
    open('public.actors', ['id'], ['id']),
    open('public.roles', ['film_id', 'actor_id'], ['film_id', 'actor_id']),
    view('public.all_roles', { film_id: ['public.roles', 1], actor_id: ['public.roles', 2] }),
  ]
  const { find } = catalogueOf(
    tables,
    [],
    [
      key('roles_film_id_fkey', 'public.roles', ['film_id'], 'public.films'),
      key('roles_actor_id_fkey', 'public.roles', ['actor_id'], 'public.actors'),
    ],
  )
  expect(find('films', 'actors')).toEqual(['many-to-many', [['actor_id', 'id']], 'roles'])
})
