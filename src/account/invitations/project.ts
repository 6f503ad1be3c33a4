import { createProject } from '#platform/auth'
import type { Tx } from '#platform/db'
import * as store from './store.ts'

/** Gives an account without a project its first one: sessions work in a project. */
export async function requireProject(tx: Tx, accountId: string, now: Date): Promise<void> {
  if (!(await store.hasProject(tx, accountId)))
    await createProject(tx, { accountId, name: 'پروژهٔ نخست' }, now)
}
