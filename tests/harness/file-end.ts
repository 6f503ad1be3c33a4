/** A setup file of Vitest, which evaluates it before each file: its hook is registered before those of the file, and called after them. */
import { afterAll } from 'vitest'
import { checkFile } from './file-checks.ts'

afterAll(checkFile)
