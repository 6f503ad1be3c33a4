/** Deletes conversations with everything that hangs on them alone. */
import { deleteFile, dropBytes, type FilesApp } from '#core/files'
import type { Db, Tx } from '#platform/db'
import { fail } from '#platform/errors'
import type { TalkContext } from './app.ts'
import * as store from './conversation-store.ts'
import { ownerOf } from './owner.ts'
import { keyOf } from './read.ts'
import type { ConversationKey } from './tables.ts'

/** An answer that is being written finds its message gone and ends; what it has cost stays on its receipt. */
export async function deleteTalk(context: TalkContext<unknown, unknown, { id: string }>) {
  const key = keyOf(context)
  if ((await deleteConversations(context.app, [key])) === 0) fail('NOT_FOUND', {})
  return { id: key.conversationId, deleted: true }
}

/** Deletes all conversations of the person in the project, archived ones too. If it is cut off, the rest is there and can be deleted again. */
export async function deleteAllTalk(context: TalkContext) {
  return { deleted: await deleteAllOf(context.app, ownerOf(context)) }
}

interface DeletingApp {
  db: Db
  files: FilesApp
}

async function deleteAllOf(app: DeletingApp, owner: ReturnType<typeof ownerOf>): Promise<number> {
  let deleted = 0
  for (;;) {
    const some = await store.someConversations(app.db, owner)
    if (some.length === 0) return deleted
    deleted += await deleteConversations(app, some)
  }
}

/** Deletes a portion of what a person has in all accounts; false if nothing is left. */
export async function deleteSomeOf(app: DeletingApp, personId: string): Promise<boolean> {
  const some = await store.someConversations(app.db, { accountId: null, projectId: null, personId })
  if (some.length > 0) await deleteConversations(app, some)
  return some.length > 0
}

/** Deletes conversations of one person in one transaction, and returns how many were there. */
async function deleteConversations(app: DeletingApp, keys: readonly ConversationKey[]): Promise<number> {
  const { deleted, files } = await app.db.tx(async (tx) => {
    await store.lockDeletions(tx, keys[0]!.personId)
    const files: { accountId: string; fileId: string }[] = []
    let deleted = 0
    for (const key of keys) {
      files.push(...(await deleteOwnFiles(app, tx, key)))
      if (await store.deleteConversation(tx, key)) deleted++
    }
    return { deleted, files }
  })
  for (const { accountId, fileId } of files) await dropBytes(app.files, accountId, fileId)
  return deleted
}

async function deleteOwnFiles(
  app: DeletingApp,
  tx: Tx,
  key: ConversationKey,
): Promise<{ accountId: string; fileId: string }[]> {
  const now = new Date(app.files.clock.nowMs())
  const own = await store.ownFiles(tx, key)
  for (const fileId of own) await deleteFile(tx, key, fileId, now)
  return own.map((fileId) => ({ accountId: key.accountId, fileId }))
}
