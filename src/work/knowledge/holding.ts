import { heldTables } from '#platform/holdings'

/** The knowledge projects of an account, and the bytes of sources that are not indexed yet. */
export const knowledgeHolding = heldTables('knowledge', [
  {
    name: 'knowledge.sources',
    blobs: `array['knowledge/' || t.account_id || '/' || t.source_id]`,
    cascades: ['knowledge.passages', 'knowledge.vectors'],
  },
  { name: 'knowledge.projects' },
])
