/** The service's icon: a sheet of paper with a red mark printed over its lines, which show through. */
export const ICON_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" role="img" aria-label="Overprint">
<rect width="64" height="64" rx="14" fill="#16202e"/>
<path d="M18 8h20l12 12v32a4 4 0 0 1-4 4H18a4 4 0 0 1-4-4V12a4 4 0 0 1 4-4z" fill="#fbfaf6"/>
<path d="M38 8l12 12H41a3 3 0 0 1-3-3z" fill="#c9ccd2"/>
<path d="M20 22h12M20 30h24M20 38h24M20 46h16" stroke="#8c95a3" stroke-width="3" stroke-linecap="round"/>
<path d="M6 46L50 14l7 9.6L13 55.6z" fill="#e5383b" fill-opacity=".78"/>
</svg>
`;
