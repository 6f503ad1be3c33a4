/** Makes one video in a thread of its own: encoding takes a second of processor time. Started by film.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { type FilmWork, filmOf } from './make.ts'

const bytes = await filmOf(workerData as FilmWork)
parentPort!.postMessage(bytes)
