// Written by scripts/buildFonts.ts. scripts/fonts/coverage.ts defines the encoding of coverage.

/** A typeface of `fonts/`: the kind of its files, and the code points for which it is used by default. */
export interface Family {
  readonly name: string;
  readonly files: "regular and bold" | "regular" | "sliced";
  readonly coverage: string;
  /**
   * Numbers of the slices for which a sliced family has a file, encoded like `coverage`. A slice may contain characters
   * beyond `coverage`.
   */
  readonly forms?: string;
}

/** Number of consecutive code points in a slice. Each slice of a sliced family is a separate file. */
export const SLICE = 512;

/** The typefaces in order of preference. */
export const FAMILIES: readonly Family[] = [
  {
    name: "noto-sans",
    files: "regular and bold",
    coverage:
      "w+2m,x+c,1+io,1+13,2+5,4+6,1,1+j,1+1q,e+8v,td+3,f+1,1hx,1x0+g,4,1+7,c1+8,3b+6x,1+7u,2+5,2+11,2+5,2+7,1,1,1,1+u,2+1g,1+e,1+d,2+5,1+i,2+2,1+8,1+a,5+p,5+1c,g+1,2+q,1+c,3+w,1b,f+2n,z+1,4,3s,qh,1ar+v,9s+3h,noi+2n,2o+5m,5+1,1,1+4,o+d,8e,e9+1n,fpw+6,m1+f,cs+1,1he+5,1+15,1+8,16it+u",
  },
  {
    name: "noto-sans-arabic",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,3,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+3,4+1,1+5,2+7,1+3,2+b,2+3,2+1,4+k,49+3,r,3y+1,1,e+5,y+4,1+2,1+2,5,j+2,kd+l,1+5b,1+x,28+1b,6o+u,9+21,1+s,48w+5,o,2b+1,7p,6+1,1+1,3+2,1+2,3,3,8,9+1,k,2k,39,6n,7,q9,1o4,14i6+36,g+cc,2+1h,7,w+f,34+4,1+3q,35s+2",
  },
  {
    name: "noto-nastaliq-urdu",
    files: "regular and bold",
    coverage:
      "w+1,6+1,1+f,2,t+2,t+2,y,a,b,3,r,v,101+b,6,2+1n,3+m,5+8,1+c,1,1,2,1+2,3,2,2,1,2,1,3+2,1,3,2+2,1,1+4,1+1,2,1+1,2,1+3,8,1+1,7,4+b,5,2h,2,6,3+m,ap,4k0+1,1+1,3+1,2+1,r+1,d3,qh,1691+f,ak+1,4y,1,5+3",
  },
  {
    name: "noto-sans-hebrew",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,3,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+3,4+1,1+5,2+7,7+5,2+3,2+3,2+1,4+1,2+g,49+3,r,3y+1,1,e+5,y+4,1+2,1+2,p+2,h4+1i,8+q,4+5,4uj+5,o,2b+1,7w,2+1,3+2,1+2,3,3,i+1,33,1,39,6n,qh,164w+p,1+4,1,1+1,1+1,1+9",
  },
  {
    name: "noto-sans-devanagari",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,3,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+3,4+1,1+5,2+7,7+5,2+3,2+3,2+1,4+1,2+g,49+3,r,3o,9+1,1,e+5,y+4,1+2,1+2,p+2,15j+3j,3tc+12,1+1,au+5,o,2b+1,7w,2+1,3+2,1+2,3,3,i+1,35,c,1i,1d,6n,qh,pr7+9,4m+v,mio+9",
  },
  {
    name: "noto-sans-bengali",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,3,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+3,4+1,1+5,2+7,7+5,2+3,2+3,2+1,4+1,2+g,49+3,r,3o,9+1,1,e+5,y+4,1+2,1+2,p+2,1d+1,16d+1,h+1,q+3,1+7,2+1,2+l,1+6,1,3+3,2+8,2+1,2+3,8,4+1,1+4,2+o,3pt,1,2+1,1,8,8,2,4,2+2,aw+5,o,2b+1,7w,2+1,3+2,1+2,3,3,i+1,35,c,2w,6n,qh,pwk",
  },
  {
    name: "noto-sans-tamil",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,1+2,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+5,2+1,1+5,2+7,1+3,2+b,2+3,2+1,4+k,49+3,r,3y+1,1,e+5,y+4,1+2,1+2,5,j+2,17s+1,h+1,f0+1,1+5,3+2,1+3,3+1,1,1+1,3+1,3+2,3+b,4+4,3+2,1+3,2,6,e+k,3bz,bp+5,o,2b+1,7w,2+1,3+2,1+2,3,3,i+1,1l,d+2,13,c,2w,6n,qh,pwm,ky5,1,1j+1",
  },
  {
    name: "noto-sans-thai",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,3,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+3,4+1,1+5,2+7,1+3,2+b,2+3,2+1,4+k,49+3,r,3o,9+1,1,d+6,y+4,1+2,1+2,5,j+2,8,24v+1l,4+s,36s+5,o,2b+1,7w,2+1,3+2,1+2,3,3,i+1,35,39,6n,qh",
  },
  {
    name: "noto-sans-georgian",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,3,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+3,4+1,1+5,2+7,1+3,2+b,2+3,2+1,4+k,49+3,r,3y+1,1,e+5,y+4,1+2,1+2,5,j+2,gw,26u+11,1,5,2+1b,2a8+16,2+2,cg+5,o,2b+1,7w,2+1,3+2,1+2,3,3,i+1,35,h,2f,b,6n,25p+11,1,5",
  },
  {
    name: "noto-sans-armenian",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,3,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+3,4+1,1+5,2+7,1+3,2+b,2+3,2+1,4+k,49+3,r,3y+1,1,e+5,y+4,1+2,1+2,5,j+2,eg+11,2+1d,2+2,4xc+5,o,2b+1,7w,2+1,3+2,1+2,3,1,1,i+1,35,39,6n,qh,164m+4",
  },
  {
    name: "noto-sans-telugu",
    files: "regular and bold",
    coverage:
      "w+3,1,1+o,r+4,r+3,x,1i,v,1nd+1,h+1,ii+c,1+2,1+m,1+f,3+7,1+2,1+3,7+1,1+2,5+3,2+9,7+8,38a,n,m5,2+1,3+1,2+1,8,42,9k,qh",
  },
  {
    name: "noto-sans-kannada",
    files: "regular and bold",
    coverage:
      "w+3,1,1+o,r+4,r+3,x,1i,v,1nd+1,h+1,m2+c,1+2,1+m,1+9,1+4,2+8,1+2,1+3,7+1,7,1+3,2+9,1+1,34t,1,7,n,1+1,m2,2+1,3+1,2+1,8,42,9k,qh,pr7+5",
  },
  {
    name: "noto-sans-malayalam",
    files: "regular and bold",
    coverage:
      "w+3,1,1+o,r+4,r+3,x,1i,v,en,r,17x+1,h+1,pm+c,1+2,1+1e,1+2,1+5,4+f,2+p,316,mt,2+1,3+1,2+1,8,42,9k,qh,pr7+2",
  },
  {
    name: "noto-sans-gujarati",
    files: "regular and bold",
    coverage:
      "w+3,1,1+o,r+4,r+3,x,1i,v,1nd+1,h+1,7v+2,1+8,1+2,1+l,1+6,1+1,1+4,2+9,1+2,1+2,2,f+3,2+b,7+6,45s,2+1,3+1,2+1,8,42,9k,qh,pr7+9",
  },
  {
    name: "noto-sans-gurmukhi",
    files: "regular and bold",
    coverage:
      "w+3,1,1+o,r+4,r+3,x,1i,v,1nd+1,h+1,4b+2,1+5,4+1,2+l,1+6,1+1,1+1,1+1,2,1+4,4+1,2+2,3,7+3,1,7+g,49l,2+1,3+1,2+1,8,42,9k,qh,2n,poj+9",
  },
  {
    name: "noto-sans-sinhala",
    files: "regular and bold",
    coverage: "w+3,1,1+o,r+4,r+3,x,1i,v,1nw+1,t7+2,1+h,3+n,1+8,1,2+6,3,4+5,1,1+7,6+9,2+2,3ku+1,3+1,2+1,8,dn,qh,1ams+j",
  },
  {
    name: "noto-sans-lao",
    files: "regular and bold",
    coverage: "w,3j,2qo+1,1,2+1,1,2,6+3,1+6,1+2,1,1,2+1,1+c,1+2,2+4,1,1+5,2+9,2+3,3il,10e",
  },
  {
    name: "noto-sans-khmer",
    files: "regular and bold",
    coverage: "w+2,4+2,2+3,a+1,3,2o,a,f,4hw+1f,2+13,2+9,6+9,di+v,174,7+1,2+1,8,145",
  },
  { name: "noto-sans-myanmar", files: "regular and bold", coverage: "w,u,2o,31b+4f,320+1,2+1,8,145,py9,4x+u,2p+v" },
  {
    name: "noto-sans-ethiopic",
    files: "regular and bold",
    coverage:
      "w,c,36,h3,5,2y9+20,1+3,2+6,1,1+3,2+14,1+3,2+w,1+3,2+6,1,1+3,2+e,1+1k,1+3,2+1u,2+v,3+p,2gm,kd,kd,1ir+m,9+6,1+6,1+6,1+6,1+6,1+6,1+6,1+6,opu+5,2+5,2+5,9+6,1+6",
  },
  {
    name: "noto-sans-sc",
    files: "sliced",
    coverage:
      "96o+p,1+2g,c+5x,16+19,2+f,1+2d,2+2u,5+16,2o+17,4+z,c+f,w+1r,v+4s,1+58o,22+g6n,hlc+3,1+1,4+1,8,1+3,6,a+1,1,1+4,1+3,8,3+3,3,3+1,a,3+5,6,3,1,1,2+2,2+2,3+1,4+2,1,4,1,2,l,4,3,3,1+1,1,4+1,9,7+1,2+4,1+2,2,1,7,2+1,4,2,1,2,2+3,1,1+3,1,1+1,3,6+2,1+1,2+2,5,3+2,1+1,1,c,1,1,h+1,q9+9,m+y,1+i,1+3,45+4e,1s+6,1+6,1btd,2va,1,1u,47,xv,25,195,1c9,3c,cj,3w7,2ez,1cb+1,ay,re,f,1cq,6p,11,3f,23,220,1b,1x,10u,sf,nd,h7,dk,79,d0,ei,5g,2hc,16k,7b,1t,su,hb,s,96,o8,71,7,1,2,ca,3t,1k5,b4,1gt,4,8,1n4,7x,r,7s,5,x,11l,as+1,e+1,50,7m,2q,b,2,a,3q,b,2,25,3p,7,6,2,j+1,13,3b+1,3,1f,c,13+1,8+2,1,1,2w+1,m,1r,57,r,w,i,2,9,3,h,4b,em,47,2,p,6,47,9n,f,33,1d,e7+1,3i,w,7e,3,v,3m,b,r,36,1v,5,2,83,b,2,4q,5s,4,8,7,1+2,1,i,7+1,68,2,33,x,1n,63,4,2,h,j,2,i,6c,b,32,17,3j,3+1,2,6+1,1,3,1,8,3,b+1,8,4,2,2,3,2,1,3,1g,d+1,d,3r,8,45+1,6,1,2+1,6,3k,1,1+1,e+1,7,4+1,12,1u,1,8,2,3,29,b,a,1bk,6yn,1d,4di+1,b1",
    forms: "1,l+1k,18+1,1,3d,6,2,2,2+1,9,5,3+3,2+1,4,2,1,1+5,5,2,2+1,1+2,3+1,2,3+2,1+g,2,h,a+1",
  },
  {
    name: "noto-sans-jp",
    files: "sliced",
    coverage:
      "9im+1,75+1e,1+15,35+u,1t+u,137p,2+3,2+7,1,4+5,1+9,2,1,5,4+7,1+2,4+2,1+2,2+5,1+2,1+2,6+5,1+2,1,1,1+1,3+1,3+2,2+3,3,1+3,1,1+1,1+k,1+3,1+2,1+2,1,2,1+3,2+8,1+6,2+1,5,3+1,1,1+6,1,3+3,1+1,1,1+1,1+1,4,1,4,1,2+2,1+5,3,2+1,3+4,1+2,3,2,1+b,1,1,1+g,2+e,10z+t,3+5,2+5,2+5,2+2,1elq,3i,n,1,b,1w,2q,21,34,7r,1x,f,3b,28,5a,1h,35,10,1m,62,2q,3c,1q,1e,3i,2c,31,7,o,5i,32,21,3l,n,b1,i,3s,3m,8,13,5l,ip,1n,n,u,6,2j,c,o,t,q,d,3j,4o+1,d4,30,29,1n,ai,79,2e,fv,5y,n,s,l,p,9,4,l,14,2a+1,6h,2f,3n,ao,4c,79,3y,gr,6h,9z,27,ek,3x,8+1,2d,3a,6,cc,2o,bs,cq,c+1,1c,ak,2h,3,1+1,1,4,4,4,p,23+1,5,j,3i,39,1l,1b,37+2,c,5g,f,y,z+1,3m,9,d,10,o,gq,di,1q,1r,1,d,1d,42,11+1,ar,5o,22,30,5e,87,5p,j,go,3f,97,4k,c6,7c,o,4m,71,6n,9,14,1e,w,9y,2f,a,5o,3q,z,n,1k,19,dd,2n,22,1g,48,5z,6p,1j,a,5b,9b,7,7,7i+1,c,5c,48,o,8s,3w,13,b,2,2k,l,f,1m,1k,3b,b,q,g,a,20,3w,8k,1z,5,l,5h,51,hn,1d,30,cf,c,3o,15,1v,1s,1l,1f,16,1z,89,21,16,1q,9u,10,8e,2p+2,6z,o,17,io+1,y,h,1k,cq+1,r,2a,e,3e,k,1a,fm,1a,5r,8e,a,8,38,3f,56,18,33,hl,1c,cb,a,34,61,1q,20,3q,3y,2k+1,7h,y,gb,2,x,r+1,1d+1,2q,a,p,19,13,1f,f,6,64,19,6l,1e,2o,3t,r,7,m,2a,2p,a,1n,5h,iv,g,da,8u,80,14,1i,ad,bv,k8,3z,1l,13,b,1s,1l,m,d,6c,8,1u,k,2a,3a,46,81,61,4q,c9,g,n,47,mr,2n3,a,1,6,1,8,g+1,4,5,6,1,2,5,n,2,d,b,5,2,5,n,s,9,2,8d9,kw,ao,3dl,a,5,2,1,7,5,3,6,b,6,b,f,a,5,3,x+1,b,5,5,w,7+1,4,3,4,2,e,6,7,3,a,5+1,z,1,10,14,1m,d+1,k",
    forms: "1,l+1k,18+1,1,3d,6+7,1+8,1+e,1+10,1+b,6+1,d,6+2,8,a+1",
  },
  {
    name: "noto-sans-kr",
    files: "sliced",
    coverage:
      "3cw+2m,2+4e,twg+s,hv+8mb,c+m,4+1c,6la,48,1fxf,2c,wt,2a2,8n,li,b6,1mc,11v,1o,v5,m7,hc,f0,g5,l3,wt,1lj,4r,11u,81,1t7,3a,20,tv,7,8t,f2,j0,eq,11o,fn,1uz,xm,11,tn,4w,do,b1,4d,yi,1w3,m,tv,d,l6,16,mp,229,f6,b7,59s,1bx,cid",
    forms: "1,6,e+1k,4,1+l,g+1,1,3d,6,1+2,3+3,3,2,1,1+3,1,1,3,2+1,2+1,2+1,1+1,1+2,3,1+5,1+1,3+2,1+2,4+2,c,2,6,7,9,6,3",
  },
  {
    name: "noto-sans-tc",
    files: "sliced",
    coverage:
      "2t5t,s,7,7,p,t,d,1h+1,1,3,s,t,1,9,3v,4,1,l,i,t,h,7,7,10,x,o+1,z,4,1,m,7+1,10,10,q,r,3+2,1i+2,v,6,d,j,1,15,6,m+1,a,1x,x,6,2+1,g,1f,10,1,20,1y,m,d,f,c,4,9+1,a,15,3+1,l,11,53,y,1z,4y,1y,2p,1s,c,1c,10,31,15,1q,u,q,15,d,a,1r,3l,o+1,l,6,4,m,8,f,3,b,1,i,j,5+1,5+2,f,h,h+1,3,g,8,5,o,2,m,3+3,6,f,h,l,i,8+1,j+3,2+2,w,1,2,7,1+1,m,5,a,a,l,1n,4+1,2+4,4,6,1a,12,1+6,g,9,1,4,4,7+2,9,w+1,4,q+3,x,8,6+1,1+1,9,g,n,14,2,s,6+2,5,y,a+3,12,8+1,1c,c,i,5+3,2,c,d,6,m,a+2,5+2,5,3,g,f+2,1k,b,1,7,2,6,1c,6,29,2q,i,18,17+1,6,1e,q,3+3,1g,1m+1,n,9,3,14+1,12,g,n,d,q,i,1+1,1g,c,u,1d,k,3d,a,j,37,8,5,10,y,1c,11,1,5+2,g,1,9,6+2,h+2,1,e,2,l,j+2,q,k+5,1+1,1i,4+5,d,3,h+3,2,f,5+1,1+4,z,7+2,2,b+2,4,4,c,b,2+3,i,3,7+2,o+4,r+1,h,4+3,w,8+2,a+2,2,6,5,4,j,8,j,h,h,3,2,4,d,1w,n,1l,6,g,5,n,68,3g+1,2v,1x,1d,2,6,49,c,a,1d,11,3,f,6,p,d,y,6,j,5,23,q,3,v,c,1l,5,2c,1f,2,1y,2k,3,1g,r,18,1g,19,1c,n,6,12,v,1,1w,37,4k,3,47,i,6,y,2y,b,p,5,16,4,7,2,1y,7,k,z,1k,x,e,2k+1,e,1o,h,r,1,2j+2,r,1,6,3,a,22,b,k,t+1,n,1h,2j+1,g,1n,j,1h,1a,i,19,3,k,i,5u,2w,5,g,1,11,j,s,3,12,2n,3,2f+1,g,j,4,3,c,11,i,5,7,8,4,a,3,2,1p+1,9,1d,7,q,11,7,a,2+1,i,1i,u,14,1t,i,13,1n,3o,2f,m,27,g,6,q,m+1,f,14,4,t,14,1l,1r,4,x+1,d,k+1,w,c+2,l,l,9,1+3,x,7,3,u,7+1,w+2,10,d+1,u,9,k,44,15,7,d+1,3+1,5,1q,g,u,2,36,1f,m,w,l,19,3,2,u,h+2,z,c,m,2,x,3,o,5,n,m,f,7,6,c,10,e,k,i,9,c,1,1i,q,w,p,5,i+2,2q,av,6c,1f,i,b,v,1r,7c,1h+2,p,1,f+2,1e+1,1,2j,y,g,12+7,11,k,d,a,q+5,7,26+3,19,5,n,v+5,1k,b,8,m,t+3,c,10,2,8,4,11+5,w,13+4,p,19,5+2,3,1j,n,a,n,a,9,11+1,3,9,6+2,4,2,1,l,2,14+2,6,8,n,k,p,u,1b,a,2,s+2,b,e,1,f,p,1,7+1,1b,i,c,p,j,p+3,12,9,5,w,3,13+1,7,5,b,1c+1,z+1,n,j+1,1c,2,h,4,2,1a,r,2e,27,27,h,1m,e,y,1o,1d,u,9,2n,28,1d,g,2m,32+2,7,3+2,a,9+1,1,l,3+1,9+5,u+1,g+2,4,3,2,5+7,4,f,2,1,1+2,9+4,9,a,9,3+1,3,1,6+1,8+3,1,i,4,1,b+9,j,3,2,4,3+3,b,7+2,9,5+3,h,6+3,d+3,9+2,6+2,3,6,2,6,d,2,6,11,2m,3q,j,44+1,15,f,18,c,4k,1d+1,27,k,2c,1,2u,25,11,3,g,2,e,e,9,2x,11,22,3x,s,1g+1,2s,2+1,1k+1,1a,20,19,g,1h,2,1,79,b,9+1,l,11,1,17,46,3,9,r+3,6+1,q,2,a,15,r,5,4,10,1b,r,1d,h,25,i,f,m,7,n,1g,2c,n+2,39,5,k,2d,l,2,x,1u,f,2d,4n,1s,6,h+1,1l,3u,k,15+1,h,t,3,o,4,q,14,q,17,i,r+1,1o,x,f,i,2d,v,2c,1m,1j+2,y,l,2l,1c,45+1,1q,7,u,r,u,j,c+1,2k,u,1j+3,28+1,3,16,3e,8,9,2s,2s,l,5,30,1i,2,n+2,1j,u,q,3+1,e,3d,2n,19,c,h,2a,j,3s,1,3,10,d,j,p,16,2f,p+1,n,27,15,n,f,p,1,8,1f,1y,2,k,i,32,c,1o,7,1e+1,5,d,e+1,4y,4,8,1,d,4,13+3,7,p,c,j+1,5,l,c,1i,20+1,4,1j+4,x,i+1,4,2,2,d,28+8,12,y,17+7,6,19,d+1,4,f,4,1,a,1b+3,14,3,4,c,3,2,d,1i+7,26,24+1,16,1,s,v+1,1a,1o,6+1,1g,10+2,t,4,t,7,g,2,p+1,1o+1,f,2f,25,23,o,4,5,12,3,1b,2z,1z,2s,y,19,1f,1,6l,1a,1o,3,o+1,8,4,11,6,r+2,1o,3e,11+1,a,s,11+1,1y,3v,n,18,16,2j,1u,i,11,1o,v,c,3,1b,k,5,v,1v+1,1h,h,4,c,v+2,d,s,3t,4,t,2h,1w,j,2x,z+1,h,t,a,8,10,u,34,1,66,5v,6,k,4+1,z,1m,c,18+1,15+1,a,1l,w,d,h,p,11,c,22,g,1,1n,11,u,1d,k,z,h,m,a,16,7,f,c,3r,2d,3,6,e,3i,1m+1,1a,3f,b,b,a,p,l,32+1,6,9,r,d,14,3,6o,12,69,11,k,d,d,3,3+1,g,a,u,1+1,c,3,3,r,1,2,1+1,2+1,g+3,i,6,e,c,3,d+7,d+1,12+2,m+2,z,5,4+1,1,f+5,1,4,h,f,6,d+1,8+2,1,m,5,1,1,i+3,5,y,9,2+1,r,8,2,e,2,1+1,c+5,8,9,3,5,i+1,5,2,4,4,8,1,3y,2,4,2p,2s,v,3j,17+1,1c,k,5+1,11,d,65,4z,e,2,7,r+2,e,z+1,6+1,v,2,17,g,d,2,h,17,b,1u,fl,2,i,b,8,3r,8+1,a,1,52,h,7,u,h,a,8b,h,4h,3m,24,18,o,6,8,8,1,15,l,1+2,j,c,1e,11,5,2m,10,53,8,5i,4d,1l,40,r,x,r,2,2i,f,12,1m,1v,3,i,1g,16,c,3q,12,1h,36,1d,13,b,5,4,5,8,r,f+1,r,1t+1,n,8+1,15,l,16,i,2n,b,k,1,3,2,x,v,29,2f,1v,1y,12,a2,4,1h,1c,n,g,25,1g5,en9,l,4,1j,r,1k,5i,t,9,n",
    forms: "1,l+1k,18+1,1,3d,6+20,1+9,2,j,h,a+1",
  },
  { name: "noto-sans-hk", files: "sliced", coverage: "", forms: "1,l+1k,18+1,1,3d,6+20,1+9,2,j,h,a+1" },
  {
    name: "noto-sans-symbols",
    files: "regular and bold",
    coverage:
      "w,f+9,7+p,6+p,11,6d8+3,1+2,3f+z,1+3,1+1,4+9,9y+f,1+4,1,4+3,2+1,5+1,1+9,1y,3+k,1+4,k,e+f,2+b,6+6,3b+4f,5o,1p+3,5,g+b,8+3,1+m,l+l,h+d,4+7,3+f,h,j+t,t+4,2c+t,b1+1,2i1p+c,3+2k,3+w,a+h,pl+3,5,5c,6n+37",
  },
  {
    name: "noto-sans-symbols2",
    files: "regular",
    coverage:
      "w,2,6,5+9,2u,681,5b+1,5n,1i+a,2,10+1,3j,16+2,27,1,1+1,8+4,2,27,1+2,k,1l+1,p+1,2+2,1+1h,p+a,9h+2x,4+4,1+f,c+7,4,n+k,m+g,e+3,8+2,g+g,1+i,u+4,1+3,1+h,5+5,1+y,1,1+4,2+v,u,3+n,1+d,1t+73,3l,1p,17,7o+d,4+t,t+12,2+v,1+2u,1,6o0+1r,zeo+26,1+c,3,1b+19,6a+r,290+u,12sh+j,c+2e,9+o,5mv+17,4+2r,c+e,2+e,1+e,1+10,ev+2,5,6,4+b,9,1t,4,l+c,7,4+2,j,1,1,3+4,5+c,c,3+2,1+2,g,c,9,6,o,1+1,3+3,2+2,4,m,i,11,c,2,5,1,3,8+3,e,4,4+2,3+3,9,1+2,1+1,4,3+3,2,4+1,16+7,4,5+15,1+p,2+c,1+2d,2d+1b,7,5,3,2,3,k,4,6+1,1,9+5,1+2,3+4,8+a,5+3,3+5,3n+2g,7+b,k+b,4+1j,8+9,6+13,8+t,2+1,3t,a,55+2b,c+d,2+4,3+2,5+6,9+o,7+6,9+2,d+6,15+42,1+1i,11+9",
  },
  {
    name: "noto-sans-math",
    files: "regular",
    coverage:
      "w+2m,x,6,4,4,11,v,ei+1,1,1+1,13,2o+g,1+6,7+o,7,3+1,p+1,2+1,5ks+5,v,3c+c,4,3+a,i,7+4,1+2,2,3+4,6,3,3+1,1+2,1+5,3+4,4+4,1y+u,1+1h,b+1,1+7f,8+3,4,8,2+5,k+1w,1,o,5+r,p,b+5,42+1,8p,3,3,5,3,8,1,1a,35+2,9c+1r,74+e7,e+3,u+s,4x,15r0,1,1602+2c,1+1y,1+1,2,2+1,2+3,1+b,1,1+6,1+1s,1+3,2+7,1+6,1+r,1+3,1+4,1,3+6,1+9f,2+83,2+1d,4cg+3,1+q,1+1,1,2,1+9,1+3,1,1,6,4,1,1,1+2,1+1,1,2,1,1,1,1,1+1,1,2+3,1+6,1+3,1+3,1,1+9,1+g,5+2,1+4,1+g,1g+1",
  },
  { name: "noto-music", files: "regular", coverage: "w,3j,7cb,4c+6,2c28+6t,a+12,2+21,8+31,n+1x" },
  { name: "noto-sans-mono", files: "regular", coverage: "71z+6,8y+4f" },
  {
    name: "noto-sans-oriya",
    files: "regular and bold",
    coverage:
      "w+3,1,1+5,1+h,r+4,r+3,x,1i,v,1nw+1,bf+2,1+7,2+1,2+l,1+6,1+1,1+4,2+8,2+1,2+2,8+1,4+1,1+4,2+h,42g,2+1,3+1,2+1,8,42,9k,qh",
  },
  {
    name: "noto-serif-tibetan",
    files: "regular and bold",
    coverage: "w,c,26,z,2u7+1z,1+z,4+12,1+z,1+e,1+c,379,14r,2z",
  },
  {
    name: "noto-sans-thaana",
    files: "regular and bold",
    coverage: "w+1,6+1,2,1,b+1,2s,12j,e,3,1s+c,7n+1d,4ti+1,2+1,14e,16p1,a",
  },
  {
    name: "noto-sans-mongolian",
    files: "regular",
    coverage: "w+2,5+1,3,h,2o,4m7+a,5+9,6+2g,7+16,1go+1,7+1,h,o+1,t2+j,9k,20k+1,7+5,14q5+1,2+3,4rf+c",
  },
  { name: "noto-sans-tifinagh", files: "regular", coverage: "w,3j,fa,1l+1,1,1+1,1,p,d,6u2,1gj+1j,7+1,e" },
  { name: "noto-sans-nko", files: "regular", coverage: "w,3j,12j,e,3,22,9h+1m,2+2,5vw,1n3+1,14ww+1" },
  {
    name: "noto-sans-adlam",
    files: "regular and bold",
    coverage: "w+f,a+6,q+4,r+2,y,a,f,12b,w,53m+2,2+6,1+2,3,9,8+1,9,a,130,1nf+1,n,2fge+23,4+9,4+1",
  },
  {
    name: "noto-sans-syriac",
    files: "regular",
    coverage:
      "w+1,6+3,1+2,a,2,t+2,1u,a,4,a,g7+1,2+1,1,l,2+2,7+1,1+1,ka,e,3,1,u,a+a,a+c,3,3z+d,2+1m,2+2,4wm,t,ct,qh,4j+1",
  },
  { name: "noto-sans-cherokee", files: "regular and bold", coverage: "w,3j,gv+2,1,6+1,m+1,b+1,38u+2d,2+5,twy+27" },
  { name: "noto-sans-canadian-aboriginal", files: "regular and bold", coverage: "w,3j,40,b9,g+3,17,3co+hr,fk+1x,2ja" },
  { name: "noto-sans-vai", files: "regular", coverage: "w,3j,wgv+8b" },
  { name: "noto-sans-yi", files: "regular", coverage: "w,3j,9cw+1,5+9,2+7,67,lxg+wc,3+1i,hwa+4" },
  { name: "noto-sans-javanese", files: "regular and bold", coverage: "w,3j,7cb,q0j+25,1+a,4+1" },
  { name: "noto-sans-balinese", files: "regular and bold", coverage: "w,u,2o,57j+23,4+18,21b" },
  { name: "noto-sans-sundanese", files: "regular and bold", coverage: "w,c,36,5b3+1r,74+7,nc,14r" },
  { name: "noto-sans-ol-chiki", files: "regular and bold", coverage: "w,3j,5gv+1b,u1" },
  { name: "noto-sans-meetei-mayek", files: "regular and bold", coverage: "w,3j,7cb,qab+m,5l+19,2+9" },
  { name: "noto-sans-chakma", files: "regular", coverage: "w,3j,1tx+9,18w+9,48y,1agj+1g,1+g" },
  { name: "noto-sans-cham", files: "regular and bold", coverage: "w+2,4+2,2+3,a+1,3,2o,67j,14r,q43+1i,9+d,2+9,2+3" },
  { name: "noto-sans-lisu", files: "regular and bold", coverage: "w,c,36,ez,g,5s2,35l+1,n2c+1b" },
  { name: "noto-sans-tai-tham", files: "regular and bold", coverage: "w,3j,51b+1q,1+s,2+a,6+9,6+d,1gr" },
  { name: "noto-sans-new-tai-lue", files: "regular", coverage: "w,3j,4wv+17,4+p,6+a,3+1,2cs" },
  { name: "noto-sans-tai-le", files: "regular", coverage: "w,3j,gv+1,5+1,3,2lv+9,1s6+t,2+4,2fr,20k+1,5+3" },
  { name: "noto-sans-tai-viet", files: "regular", coverage: "w,3j,7cb,pmm+1,kz+1u,o+4" },
  { name: "noto-sans-batak", files: "regular", coverage: "w,3j,5cv+1f,8+3,1xo" },
  { name: "noto-sans-buginese", files: "regular", coverage: "w,3j,50f+r,2+1,2b0,q2q" },
  { name: "noto-sans-rejang", files: "regular", coverage: "w,3j,7cb,pyb+z,b" },
  {
    name: "noto-sans-hanifi-rohingya",
    files: "regular and bold",
    coverage:
      "w+2m,x+3,1,1+4,2+2,3,1+2,1+1,3+20,2+9,2+5,2+5,2+1,2+1,2+5,2+1,1+5,2+7,1+3,2+b,2+3,2+1,4+k,49+3,r,3y+1,1,e+5,y+4,1+2,1+2,5,j+2,kj,e,3,w,v,37,4ob+5,o,2b+1,7z+1,3+2,1+2,3,3,i+1,35,39,6n,qh,19o3+13,8+9",
  },
  { name: "noto-sans-syloti-nagri", files: "regular", coverage: "w,3j,1qb+1,3k+9,4dc+1,1v,12u,ppv+18" },
  { name: "noto-sans-saurashtra", files: "regular", coverage: "w,3j,7cb,ptf+1x,8+b" },
  { name: "noto-sans-newa", files: "regular", coverage: "w,3j,m,5s3,1jk,1b1v+2j,1+4" },
  { name: "noto-sans-lepcha", files: "regular", coverage: "w,3j,5en+1j,3+e,3+2,1vg" },
  { name: "noto-sans-limbu", files: "regular", coverage: "w,3j,1qc,32y+u,1+b,4+b,4,3+b,2gs" },
  { name: "noto-sans-kayah-li", files: "regular and bold", coverage: "w,c,36,67j,14r,pwz+1b" },
  { name: "noto-sans-miao", files: "regular", coverage: "w,3j,7cb,1t0z+22,4+1k,7+g" },
  { name: "noto-serif-nyiakeng-puachue-hmong", files: "regular and bold", coverage: "w,3j,2mvz+18,3+d,2+9,4+1" },
  { name: "noto-sans-osage", files: "regular", coverage: "w,3j,gw,2,6,24,6sz,180z+z,4+z" },
  { name: "noto-sans-bamum", files: "regular and bold", coverage: "w,3j,wsf+2f,124o+fs" },
  { name: "noto-sans-mandaic", files: "regular", coverage: "w,3j,13z,e7+r,2,5t9" },
  { name: "noto-sans-wancho", files: "regular", coverage: "w,1,4+2,2+3,17+2,t,1,y,67v+1,14e,2fw3+1l,5" },
  { name: "noto-sans-mro", files: "regular", coverage: "w,3j,1zfj+u,1+9,4+1" },
  { name: "noto-sans-warang-citi", files: "regular", coverage: "w,6,3c,1jb3+2a,c" },
  { name: "noto-sans-sora-sompeng", files: "regular and bold", coverage: "w,c,36,67j,1bjz+o,7+9" },
  {
    name: "noto-sans-gunjala-gondi",
    files: "regular",
    coverage: "w+1,3,1+8,a,1+3,2o,1i,v,65c+1,2+1,8,dn,qh,1cwj+5,1+1,1+10,1+1,1+5,7+9",
  },
  {
    name: "noto-sans-masaram-gondi",
    files: "regular",
    coverage: "w+2,2,1+8,a+5,2o,1i,v,1nw+1,4he+1,2+1,8,dn,qh,1ctv+6,1+1,1+17,3,1+1,1+8,8+9",
  },
  { name: "noto-sans-tirhuta", files: "regular", coverage: "w,3j,1ps+1,h+1,3y+3,3qy,1qx,pr7+9,ldy+1z,8+9" },
  { name: "noto-sans-mende-kikakui", files: "regular", coverage: "w,3j,7cb,2gxf+5g,2+f" },
  { name: "noto-sans-medefaidrin", files: "regular and bold", coverage: "w,3j,207z+2i" },
  { name: "noto-sans-bassa-vah", files: "regular", coverage: "w,3j,7cb,1s77+t,2+5" },
  { name: "noto-sans-osmanya", files: "regular", coverage: "w,3j,1fbz+t,2+9" },
  { name: "noto-sans-pahawh-hmong", files: "regular", coverage: "w,3j,7cb,1s8j+1x,a+9,1+6,1+k,5+i" },
  { name: "noto-sans-pau-cin-hau", files: "regular", coverage: "w,3j,1jq7+1k" },
  { name: "noto-sans-tagalog", files: "regular", coverage: "w,3j,4f3+c,1+6,w+1,2vp" },
  { name: "noto-sans-hanunoo", files: "regular", coverage: "w,3j,4fz+m,2vp" },
  { name: "noto-sans-buhid", files: "regular", coverage: "w,3j,4gk+1,9+j,2uw" },
  { name: "noto-sans-tagbanwa", files: "regular", coverage: "w,3j,4gk+1,15+c,1+2,1+1,2u0" },
  {
    name: "noto-sans-coptic",
    files: "regular",
    coverage: "w,c,36,gv+2,1+1,1+1,q,r,x,i+1,30+d,53x,g2,14r,1bn+37,5+6,15b8+2,xl+r",
  },
  { name: "noto-sans-samaritan", files: "regular", coverage: "w,3j,1gf+19,2+e,7hu" },
  { name: "noto-serif-yezidi", files: "regular and bold", coverage: "w,3j,12j,e,3,50,1g2z+15,1+2,2+1" },
  { name: "noto-sans-deseret", files: "regular", coverage: "w,3j,1f8f+27" },
  { name: "noto-sans-shavian", files: "regular", coverage: "w,3j,1fan+1b" },
  {
    name: "noto-serif",
    files: "regular and bold",
    coverage:
      "w+2m,x+c,1+io,1+13,2+5,4+6,1,1+j,1+1q,e+8v,2bv,1x0+g,4,1+7,c1+8,3b+6x,1+7u,2+5,2+11,2+5,2+7,1,1,1,1+u,2+1g,1+e,1+d,2+5,1+i,2+2,1+8,1+a,5+p,5+1c,g+1,2+q,1+c,3+w,1b,f+2n,z+1,4,3s,qh,1ar+v,9s+3h,noi+2n,2o+5m,5+1,1,1+4,o+d,8e,e9+1n,fpw+6,m1+f,cs+1,1he+5,1+15,1+8,16it+u",
  },
  {
    name: "noto-emoji",
    files: "regular",
    coverage:
      "w,2,6,5+9,33,4,68d,c,49,1q,m,2i+5,f+1,a7+1,c,4m,p+a,4+2,5j,6f+1,a,9,1m+3,1+4,9,2,2+1,2,4,2,1+1,2,3,3+1,8+2,5,1,5+b,b+1,2,1+1,1,i,2+1,i+5,1,1+1,3+1,5,2+1,4+1,b+1,5+1,2,5+1,1,1+1,k+1,5+5,1+3,2,4,2,2+5,1,2,1,1,6,3,6,a+1,f,2,4,1,4+2,1,b+1,1c+2,9,e,e,ac+1,cv+2,j+1,1f,4,yi,c,gp,1,2fze,5m,4g+1,c+1,e,2+9,23+p,1+1,n,k,2+8,l+1,4u+x,2+33,2+1,1+2,2+2a,2+2,1+7a,1+1q,b+5,1+n,7+1,2+7,c,2+3,2,4+1,d+1,2,8+1,9,5+2,c+2,8+2,2,1,4,6,3,6+2d,1c+1x,5+7,2+3,3+9,3,1+1,3,2+9,6b+b,4,7v+1a,1+9,1+54,34+c,3+a,3+1k,1,4+f,2+b,4+9",
  },
];
