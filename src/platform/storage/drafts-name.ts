/** The folder of files that are still being written; no key is spelled like it. */
export const draftsName = 'drafts~'
