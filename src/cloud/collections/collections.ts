/**
 * Rows of JSON of app back-ends, in collections: who sees them, how they are queried, and their limits (docs/decisions/cloud/collections.md). Their
 * HTTP is in `cloud/cloud-routes`.
 */
import './errors.ts'

export { jsonInterpretations } from './conditions.ts'
export { copyToTables, dropCopiedTables } from './copy-to-tables.ts'
export { documentOf } from './document.ts'
export { rowReasons } from './errors.ts'
export { Collections, openCollections, statementRunner, type WriteOptions } from './open.ts'
export {
  type CastType,
  type Condition,
  type ContainedValue,
  type Field,
  isRowColumn,
  type Order,
  queryLimits,
  type RangeKind,
  type RowCaller,
  type SearchConfig,
  type SelectedMember,
  type Selection,
  searchConfigs,
} from './query.ts'
export { type RowsFilter, type RowsPage, type RowsQuery, readStatement } from './row-store.ts'
export { fieldOf, wholeSelection } from './selection.ts'
export {
  type CollectionRow,
  type Counts,
  collectionsOf,
  countedCollections,
  countsOf,
  type NewRow,
  type RunStatement,
  setPublicRead,
} from './store.ts'
export { deleteRowsPortion, type ExportedItem, exportAll, importAll, lockAndCheckEmpty } from './transfer.ts'
export { throwRowFailure } from './translate.ts'
export {
  change,
  createCollection,
  deleteCollection,
  insert,
  type RowsCloud,
  remove,
  type WriteAnswer,
} from './writes.ts'
