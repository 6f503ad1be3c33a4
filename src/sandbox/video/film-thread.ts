/** Makes one video in a thread of its own: encoding takes a second of processor time. Started by film.ts. */
import { parentPort, workerData } from 'node:worker_threads'
import { type VideoWork, videoOf } from './make.ts'

const bytes = await videoOf(workerData as VideoWork)
parentPort!.postMessage(bytes)
