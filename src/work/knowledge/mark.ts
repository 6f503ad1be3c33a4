/** The storage key of the bytes of a source until it is indexed. */
export const sourceStorageKey = (accountId: string, sourceId: string): string =>
  `knowledge/${accountId}/${sourceId}`

/** The term that all passages of a knowledge project contain; no real word looks like it. */
export const projectTermOf = (knowledgeId: string): string =>
  `k/${knowledgeId.replaceAll('-', '').toLowerCase()}`
