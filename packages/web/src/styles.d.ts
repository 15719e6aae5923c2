// Style sheets are imported for what they do: the build puts them beside the scripts.
declare module '*.css';
// Drawings are imported as their texts.
declare module '*.svg' {
  const text: string;
  export default text;
}
