/** The files beside scripts that the build takes. */
declare module '*.module.css' {
  const names: Readonly<Record<string, string>>
  export default names
}
declare module '*.css'
