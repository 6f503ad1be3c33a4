/** Where the given bytes of a source lie until it is read. */
export const keyOf = (accountId: string, sourceId: string): string => `knowledge/${accountId}/${sourceId}`

/** The term that all passages of a knowledge project bear; no word is written so. */
export const markOf = (knowledgeId: string): string => `k/${knowledgeId.replaceAll('-', '').toLowerCase()}`
