import type { FilesApp } from '#core/files'
import type { Clock } from '#platform/clock'
import type { Db } from '#platform/db'
import { type Holding, heldTables } from '#platform/holdings'
import { deleteSomeOf } from './delete.ts'
import { exportedConversations, exportedMessages } from './export-store.ts'

/** The conversations of an account, and those of a person in all accounts. */
export const talkHolding: Holding<{ clock: Clock; db: Db; files: FilesApp }> = {
  // Messages go before their conversations, since one deletion would take up to 20,000 of them along otherwise.
  ...heldTables('talk', [
    { name: 'talk.words' },
    { name: 'talk.parts' },
    { name: 'talk.messages' },
    { name: 'talk.conversations' },
  ]),
  listsOf({ db }, personId, all) {
    const places = all.filter(({ rights }) => rights.has('talk'))
    return [
      { name: 'conversations', pages: exportedConversations(db, personId, places) },
      { name: 'messages', pages: exportedMessages(db, personId, places) },
    ]
  },
  erasePerson: async (app, personId) => ((await deleteSomeOf(app, personId)) ? 'more' : 'done'),
}
