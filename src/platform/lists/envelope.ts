import { type TSchema, Type } from 'typebox'
import { nullable, uuid } from '#platform/schema'
import type { Page } from './page.ts'

type ItemWithId = { id: string }

/** The platform's own envelope. */
export const plainList = {
  schema: (item: TSchema, id: TSchema = uuid()) =>
    Type.Object({ data: Type.Array(item), has_more: Type.Boolean(), last_id: nullable(id) }),
  answer: <Row, Item extends ItemWithId>({ rows, hasMore }: Page<Row>, shown: (row: Row) => Item) => {
    const data = rows.map((row) => shown(row))
    return { data, has_more: hasMore, last_id: data.at(-1)?.id ?? null }
  },
}

/** The envelope with the first id too, for clients that page backwards. */
export const framedList = {
  schema: (item: TSchema, id: TSchema = uuid()) =>
    Type.Object({
      data: Type.Array(item),
      has_more: Type.Boolean(),
      first_id: nullable(id),
      last_id: nullable(id),
    }),
  answer: <Row, Item extends ItemWithId>(page: Page<Row>, shown: (row: Row) => Item) => {
    const { data, has_more, last_id } = plainList.answer(page, shown)
    return { data, has_more, first_id: data[0]?.id ?? null, last_id }
  },
}

/** The envelope of `framedList` with `object: 'list'`. */
export const typedList = {
  schema: (item: TSchema, id: TSchema = uuid()) =>
    Type.Object({ object: Type.Literal('list'), ...framedList.schema(item, id).properties }),
  answer: <Row, Item extends ItemWithId>(page: Page<Row>, shown: (row: Row) => Item) => ({
    object: 'list' as const,
    ...framedList.answer(page, shown),
  }),
}

/** The envelope of lists without pages. */
export const bareList = {
  schema: (item: TSchema, options: { maxItems?: number } = {}) =>
    Type.Object({ data: Type.Array(item, options) }),
  answer: <Row, Item>(rows: readonly Row[], shown: (row: Row) => Item) => ({
    data: rows.map((row) => shown(row)),
  }),
}
