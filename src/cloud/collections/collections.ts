/**
 * Rows of JSON of app back-ends, in collections (docs/decisions/cloud/collections.md): who sees them, how they are queried, and how many a cloud may
 * have. Their HTTP is in `cloud/cloud-routes`.
 */
import './errors.ts'

export { readingsOf } from './conditions.ts'
export { copyToTables, dropCopiedTables } from './copy-to-tables.ts'
export { documentOf } from './document.ts'
export { rowReasons } from './errors.ts'
export { Collections, openCollections, runIn, type WriteOptions } from './open.ts'
export {
  type CastType,
  type Condition,
  type Contained,
  type Field,
  isRowColumn,
  type Order,
  queryLimits,
  type RangeKind,
  type RowCaller,
  type SearchConfig,
  type Selected,
  type Selection,
  searchConfigs,
} from './query.ts'
export { type Page, type RowsFilter, type RowsQuery, readStatement } from './row-store.ts'
export { fieldOf, wholeSelection } from './selection.ts'
export {
  type CollectionRow,
  type Counts,
  collectionsOf,
  countedCollections,
  countsOf,
  type NewRow,
  type Run,
  setPublicRead,
} from './store.ts'
export { deleteAllOf, type ExportedItem, exportAll, importAll, lockEmpty } from './transfer.ts'
export { translate } from './translate.ts'
export {
  change,
  createCollection,
  deleteCollection,
  insert,
  type RowsCloud,
  remove,
  type WriteAnswer,
} from './writes.ts'
