/** The functions that are used of @echogarden/fvad-wasm, which has no types. */
declare module '@echogarden/fvad-wasm' {
  interface Library {
    HEAPU8: Uint8Array
    _malloc(bytes: number): number
    _free(place: number): void
    _fvad_new(): number
    _fvad_free(detector: number): void
    _fvad_set_mode(detector: number, mode: number): number
    _fvad_set_sample_rate(detector: number, rate: number): number
    /** 1 for speech, 0 for none, -1 for a frame of a wrong length. */
    _fvad_process(detector: number, place: number, samples: number): number
  }
  export default function load(): Promise<Library>
}
