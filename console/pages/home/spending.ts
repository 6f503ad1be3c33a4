/** What the rows of usage say of models, in whole micro-credits. */
import type { Group } from '../../spending/sums.ts'
import type { UsageRow } from '../../spending/usage.ts'

type ModelRow = Pick<UsageRow, 'model' | 'requests' | 'failures' | 'microcredits'>

/** Whether a row is of calls of a program. What costs nothing and names no model is the making of keys and the like. */
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
