/** A file of the house; `file` is its path from the root of the repository, with `/` between folders. */
export interface SourceFile {
  file: string
  code: string
}
