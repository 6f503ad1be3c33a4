/** What the rows of usage say of models, in whole micro-credits. */
import { type Group, type Sum, sumOf } from '../../spending/sums.ts'
import type { UsageRow } from '../../spending/usage.ts'

type ModelRow = Pick<UsageRow, 'model' | 'requests' | 'failures' | 'microcredits'>

/**
 * Whether credit went into a row, or could have: it has a model, a cost, or a failure. The making of keys and the like is no step into the use of a
 * project, and belongs to no model.
 */
export const isOfCalls = ({ model, microcredits, failures }: ModelRow): boolean =>
  (model ?? null) !== null || microcredits !== '0' || failures > 0

/** Each row as the group of its model. */
export const modelGroups = (rows: readonly ModelRow[]): Group[] =>
  rows.map(({ model, requests, failures, microcredits }) => ({
    value: model ?? undefined,
    name: undefined,
    requests,
    failures,
    microcredits: BigInt(microcredits),
    tokens: 0,
  }))

/** All requests of the rows, as Requests and Usage count them: also what costs nothing and names no model. */
export const allSums = (rows: readonly ModelRow[]): Sum => sumOf(modelGroups(rows))
