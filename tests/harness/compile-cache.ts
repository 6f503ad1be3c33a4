import { tmpdir } from 'node:os'
import path from 'node:path'

/** An environment in which programs share what Node has compiled: it halves the start of every process but the first. */
export const compileCache = { NODE_COMPILE_CACHE: path.join(tmpdir(), 'kherad-compile-cache') }
