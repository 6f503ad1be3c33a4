/** A setup file of Vitest, which evaluates it before each file: its hooks are registered before those of the file, and those after it are called last. */
import { afterAll, afterEach, beforeEach } from 'vitest'
import { beginTest, checkFile, checkTest } from './file-checks.ts'

beforeEach(beginTest)
afterEach(checkTest)
afterAll(checkFile)
