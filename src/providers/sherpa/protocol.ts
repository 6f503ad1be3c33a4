/** Messages between the server and its child, over IPC. */
export interface ChildRequest {
  id: number
  /** The samples of one channel at 16 kHz. */
  samples: Float32Array
  language?: string | undefined
}

export type ChildMessage =
  | { ready: true }
  | { ready: false; failed: string }
  | { id: number; result: unknown }
  | { id: number; failed: string }
